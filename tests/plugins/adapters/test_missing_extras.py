"""Without its extra, an adapter names the extra, and nothing else pays for it."""


def test_an_environment_without_its_extra_says_what_to_install(fresh_python):
    code = "import sys; sys.modules['gymnasium'] = None\n"
    code += "try:\n    from molt_bench.plugins.adapters import holdem_v0\n"
    code += "except ModuleNotFoundError as error:\n    print(error)"
    assert fresh_python(code) == ("environments need gymnasium, which is not installed: pip install 'molt-bench[envs]'")


def test_a_policy_needs_no_extra_to_play(fresh_python):
    code = "import sys; sys.modules['gymnasium'] = sys.modules['pettingzoo'] = None\n"
    assert (
        fresh_python(
            code + "from molt_bench.plugins.adapters.policy_agent import PolicyAgent; print(PolicyAgent.__name__)"
        )
        == "PolicyAgent"
    )

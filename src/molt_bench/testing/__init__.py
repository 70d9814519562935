"""The conformance kit: `check_agent(MyAgent())` reports whether an agent is fit to play, and if not, why.

from molt_bench import check_agent

def test_my_agent():
    report = check_agent(MyAgent())
    assert report.ok, report
"""

from molt_bench.specs import SEATINGS as SEATINGS
from molt_bench.testing.agent_check import SPARRING_PARTNERS as SPARRING_PARTNERS
from molt_bench.testing.agent_check import TABLES as TABLES
from molt_bench.testing.agent_check import check_agent as check_agent
from molt_bench.testing.findings import AgentReport as AgentReport
from molt_bench.testing.findings import Check as Check
from molt_bench.testing.findings import FaultExample as FaultExample
from molt_bench.testing.findings import Latency as Latency

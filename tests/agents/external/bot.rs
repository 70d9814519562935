// A bot in Rust, without any library: it calls, or checks where that is free.
use std::io::{self, BufRead, Write};

fn number(line: &str, key: &str) -> i64 {
    let at = line.find(&format!("\"{}\":", key)).expect("the key is there") + key.len() + 3;
    let digits = line[at..].chars().take_while(|each| each.is_ascii_digit());
    digits.collect::<String>().parse().expect("a number")
}

fn main() {
    for line in io::stdin().lock().lines() {
        let line = line.expect("UTF-8");
        let answer = if line.contains("\"type\":\"hello\"") {
            "{\"type\":\"hello\",\"protocol\":1}".to_string()
        } else if line.contains("\"type\":\"observation\"") {
            let kind = if number(&line, "toCall") > 0 { "call" } else { "check" };
            format!("{{\"type\":\"action\",\"id\":{},\"kind\":\"{}\"}}", number(&line, "id"), kind)
        } else {
            continue;
        };
        println!("{}", answer);
        io::stdout().flush().expect("standard output is open");
    }
}

// What the words of a run's page mean.
import { facts } from "./dom.js";

const MEANINGS = {
  "bb/100": "Big blinds won per 100 hands.",
  "± 95%": "The 95% interval: the true value lies within it in 95% of such runs, for a single look.",
  Game: "A number of hands between two agents in fixed seats; they take turns on the button.",
  "Seed pair":
    "Two games on the same cards, seats swapped: the unit of all statistics. Numbered from 0, as in the files.",
  Match: "Several seed pairs between the same two agents.",
  "As dealt": "Chips as they were won, with all the luck in them (estimator raw).",
  "All-in EV": "Once all chips are in, the pot counts by the chance to win it (estimator allIn).",
  "Luck removed": "What the cards, and known dice of an agent, gave on average is taken out; the mean stays the same.",
  Estimator: "The way in which luck was removed. With auto, each pairing has the one that varies least.",
  "OpenSkill rating": "A skill rating that counts matches won, not chips: mu is the skill, sigma how uncertain it is.",
  Anchor: "An opponent to measure against, which is not part of the field that bb/100 is measured over.",
  Fault: "An answer that could not be used: an illegal action, a text that cannot be read, an error, or none in time.",
};

export function wordsSection() {
  return facts(Object.entries(MEANINGS), { class: "small meanings" });
}

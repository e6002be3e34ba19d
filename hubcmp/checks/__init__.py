"""Checks: one file per wiring fault; each looks at an assembled Drafter and says what is wrong with its wiring."""

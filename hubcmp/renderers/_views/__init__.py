"""Views: one file per kind of answer; each lays it out as JSON data and as neutral blocks."""

"""What the rows that were written for this project bring: whole answers, kinds, languages."""

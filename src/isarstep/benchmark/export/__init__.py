"""Other formats: the files of the original release, JSONL, Parquet with a data card and Croissant metadata."""

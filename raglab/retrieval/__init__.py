"""A folder → documents → chunks → index → hits."""

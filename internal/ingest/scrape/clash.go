package scrape

"""Rules of thumb about links, order, speakers and hedges, by the words of the source alone."""

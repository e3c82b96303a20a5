package sales_test

const sellerCommand = "sell-until-killed"

func runSeller([]string) int { return 0 }

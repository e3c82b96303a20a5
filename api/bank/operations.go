// Package bank has the bank's two calls and the operations on payment requests, payments, events and statements.
package bank

import (
	"github.com/gin-gonic/gin"

	"banca/api/kit"
	"banca/internal/alerts"
	"banca/internal/bank"
	"banca/internal/customers"
)

type operations struct {
	*kit.Registry

	alerts    *alerts.Service
	bank      *bank.Service
	customers *customers.Service
}

// Register adds the operations. The result answers a call of the bank's paths with another method than POST, and
// reports whether it did.
func Register(
	r *kit.Registry, alerts *alerts.Service, bank *bank.Service, customers *customers.Service,
) (refuseMethod func(*gin.Context) bool) {
	o := &operations{Registry: r, alerts: alerts, bank: bank, customers: customers}
	o.registerCalls()
	o.registerPaymentRequests()
	o.registerCustomerPayments()
	o.registerBankPayments()
	o.registerBankEvents()
	o.registerBankDirectory()
	o.registerBankStatements()
	return o.refuseMethod
}

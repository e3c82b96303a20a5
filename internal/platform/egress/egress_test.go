package egress_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/egress"
)

func TestAddressesThatAreNeverCalled(t *testing.T) {
	t.Parallel()
	for address, never := range map[string]bool{
		"169.254.169.254": true, "fe80::1": true, "0.0.0.0": true, "0.1.2.3": true, "::": true, "224.0.0.1": true, "ff02::1": true,
		"255.255.255.255": true, "127.0.0.1": false, "10.1.2.3": false, "203.0.113.7": false, "2001:db8::1": false,
		"64:ff9b::a9fe:a9fe": true, "64:ff9b::7f00:1": true, "64:ff9b:1::a01:203": true, "2002:7f00:1::": true, "2002:a9fe:a9fe::1": true, "2001:0:5ef5:79fd::1": true,
		"::127.0.0.1": true, "::10.0.0.1": true, "::1": false, "::ffff:10.1.2.3": false, "::ffff:169.254.169.254": true, "fe80::1%eth0": true,
		"fec0::1": true, "feff::1": true, "100::1": true, "100:0:0:1::1": true, "100:0:0:2::1": false, "3fff::1": true, "3fff:fff::1": true, "5f00::1": true,
		"2001:2::1": true, "2001:20::1": true, "2001:1ff::1": true, "2001:200::1": false, "2606:4700::1111": false, "::ffff:198.18.0.1": true,
		"198.18.0.1": true, "198.19.255.255": true, "198.20.0.1": false, "192.88.99.1": true, "192.88.100.1": false, "240.0.0.1": true, "8.8.8.8": false,
		"fd00:ec2::254": true, "fc00::1": true, "fdff::1": true, "100.100.100.200": true, "168.63.129.16": true, "192.0.0.192": true, "100.100.100.201": false,
	} {
		assert.Equal(t, never, egress.Never(netip.MustParseAddr(address)), address)
	}
}

func TestTheResolvedAddressIsCheckedBeforeDialling(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") }))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	get := func(url string, resolved string) error {
		client := &http.Client{Transport: egress.NewTransport(nil, func(address string) string {
			if resolved != "" {
				return resolved
			}
			return address
		})}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		require.NoError(t, err)
		res, err := client.Do(req)
		if err == nil {
			assert.NoError(t, res.Body.Close())
		}
		return err
	}
	require.NoError(t, get(server.URL, ""), "an address of this machine names it")
	for resolved, name := range map[string]string{
		server.Listener.Addr().String(): "a name that leads to this machine",
		"127.0.0.1:1":                   "another port",
		"169.254.169.254:" + port:       "the metadata service",
		"[::ffff:127.0.0.1]:" + port:    "this machine, mapped",
		"0.0.0.0:" + port:               "this machine, unspecified",
	} {
		assert.ErrorIs(t, get("http://lottery.example:"+port+"/", resolved), egress.ErrAddress, name)
	}
}

func TestUsersReachThePrivateNetworkByListedHostsOnly(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") }))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	get := func(host string) error {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		client := &http.Client{Transport: egress.NewPublicTransport(nil, func(host, p string) bool { return host == "127.0.0.1" && p == port })}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port), http.NoBody)
		require.NoError(t, err)
		res, err := client.Do(req)
		if err == nil {
			assert.NoError(t, res.Body.Close())
		}
		return err
	}
	require.NoError(t, get("127.0.0.1"))
	for _, host := range []string{"localhost", "127.0.0.2", "::1", "10.1.2.3", "192.168.1.1", "172.16.0.1", "100.64.0.1", "169.254.169.254", "0.0.0.0", "fd00::1", "::ffff:10.1.2.3"} {
		require.ErrorIs(t, get(host), egress.ErrAddress, host)
	}
}

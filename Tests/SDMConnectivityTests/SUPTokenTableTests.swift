import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import SDMConnectivity

struct SUPTokenTableTests {
    private typealias Table = CSRFTokenTable<String, Int>
    private static func scope(_ text: String = "http://h/") throws -> CSRFScope {
        let request = try HTTPMessages.HTTPRequest(.post, text)
        return CSRFScope(request, service: request.url, user: "ann")
    }

    private func start(_ step: Table.Step) -> UInt64? { if case .wait(let start?) = step { start } else { nil } }
    private func joins(_ step: Table.Step) -> Bool { if case .wait(nil) = step { true } else { false } }
    private func uses(_ step: Table.Step) -> String? { if case .use(let token) = step { token } else { nil } }

    @Test func `one fetch for all requests of a scope`() throws {
        var table = Table()
        let scope = try Self.scope()
        let fetch = try #require(start(table.request(scope, waiter: 1, id: 11)))
        #expect(joins(table.request(scope, waiter: 2, id: 12)))
        #expect(start(table.request(try Self.scope("https://h/"), waiter: 3, id: 13)) != nil)
        #expect(table.waiterCount == 3)
        #expect(table.finish(fetch, "T").sorted() == [1, 2])
        #expect(uses(table.request(scope, waiter: 4, id: 14)) == "T" && table.waiterCount == 1)
    }

    @Test func `a rejected token is fetched again, another one is used`() throws {
        var table = Table()
        let scope = try Self.scope()
        table.learn("T1", for: scope)
        table.reject(scope) { $0 == "T0" }
        #expect(uses(table.request(scope, waiter: 1, id: 11)) == "T1")
        table.reject(scope) { $0 == "T1" }
        let fetch = try #require(start(table.request(scope, waiter: 1, id: 12)))
        table.reject(scope) { $0 == "T1" }
        table.learn("T9", for: scope)
        #expect(joins(table.request(scope, waiter: 2, id: 13)))
        _ = table.finish(fetch, "T2")
        #expect(table.token(for: scope) == "T2")
    }

    @Test func `a fetch without a token leaves none`() throws {
        var table = Table()
        let scope = try Self.scope()
        let fetch = try #require(start(table.request(scope, waiter: 1, id: 11)))
        #expect(table.finish(fetch, nil) == [1] && table.token(for: scope) == nil)
        #expect(start(table.request(scope, waiter: 1, id: 12)) != nil)
    }

    @Test func `cancelling one of several waiters keeps the fetch, the last one ends it`() throws {
        var table = Table()
        let scope = try Self.scope()
        let fetch = try #require(start(table.request(scope, waiter: 1, id: 11)))
        _ = table.request(scope, waiter: 2, id: 12)
        let first = table.cancel(11)
        #expect(first?.waiter == 1 && first?.abandonedFetch == nil)
        let last = table.cancel(12)
        #expect(last?.waiter == 2 && last?.abandonedFetch == fetch)
        let none = table.cancel(12)
        #expect(none == nil && table.waiterCount == 0)
        #expect(table.finish(fetch, "T").isEmpty && table.token(for: scope) == nil)
        #expect(start(table.request(scope, waiter: 3, id: 13)) != nil)
    }

    @Test func `clearing forgets tokens, and the outcome of a fetch in flight`() throws {
        var table = Table()
        let (scope, other) = (try Self.scope(), try Self.scope("http://other/"))
        table.learn("T", for: other)
        let old = try #require(start(table.request(scope, waiter: 1, id: 11)))
        table.removeAll()
        #expect(table.token(for: other) == nil)
        let new = try #require(start(table.request(scope, waiter: 2, id: 12)))
        #expect(table.finish(old, "old") == [1] && table.token(for: scope) == nil)
        #expect(table.finish(new, "new") == [2] && table.token(for: scope) == "new")
    }

    @Test func `tokens are bounded, and fetches in flight stay`() throws {
        var table = Table()
        let fetch = try #require(start(table.request(try Self.scope("http://fetching/"), waiter: 1, id: 11)))
        for number in 0..<Table.capacity { table.learn("T", for: try Self.scope("http://h\(number)/")) }
        #expect(table.token(for: try Self.scope("http://h0/")) == nil)
        #expect(table.token(for: try Self.scope("http://h\(Table.capacity - 1)/")) == "T")
        #expect(table.finish(fetch, "F") == [1])
        #expect(table.token(for: try Self.scope("http://fetching/")) == "F")
    }

    @Test func `scopes differ by origin, service, user and client`() throws {
        var request = try HTTPMessages.HTTPRequest(.post, "http://h:80/a/1")
        let (service, other) = (try URL(httpString: "http://h/a/"), try URL(httpString: "http://h/b/"))
        let scope = CSRFScope(request, service: service, user: "ann")
        #expect(scope == CSRFScope(try HTTPMessages.HTTPRequest(.get, "http://H/a/2"), service: service, user: "ann"))
        #expect(scope != CSRFScope(try HTTPMessages.HTTPRequest(.get, "https://h/a/2"), service: service, user: "ann"))
        #expect(scope != CSRFScope(request, service: service, user: nil))
        #expect(scope != CSRFScope(request, service: other, user: "ann"))
        try request.fields.set("sap-client", to: "100")
        #expect(scope != CSRFScope(request, service: service, user: "ann"))
    }

    @Test(arguments: [
        ("http://h/sap/opu/odata/sap/FLIGHTS/Set('1')/Nav?$top=1#f", "http://h/sap/opu/odata/sap/FLIGHTS/"),
        ("http://h/a/b/Flights.svc/Set", "http://h/a/b/Flights.svc/"),
        ("http://h/FlightProxy/Flights", "http://h/FlightProxy/"),
        ("http://h/public/FlightProxy/Flights", "http://h/public/FlightProxy/"),
        (
            "http://h/ias_relay_server/client/rs_client.dll/Farm1/Proxy/Set",
            "http://h/ias_relay_server/client/rs_client.dll/Farm1/Proxy/"
        ),
        ("http://h/cli/iasrelayserver/Farm1/public/Proxy/Set", "http://h/cli/iasrelayserver/Farm1/public/Proxy/"),
        ("http://h/sap/opu/odata", "http://h/sap/opu/odata/"), ("http://h/", "http://h/"), ("http://h", "http://h/"),
    ])
    func `the service document of a resource`(resource: String, expected: String) throws {
        #expect(ODataServiceRoot.url(of: try URL(httpString: resource)).absoluteString == expected)
    }

    @Test func `a token goes with its cookies, which replace others of the same name`() throws {
        let url = try URL(httpString: "http://h/s/")
        var head = HTTPResponseHead(status: .ok, url: url)
        try head.fields.set("x-csrf-token", to: "T1")
        try head.fields.append(.setCookie, "sap-XSRF_100=new; Path=/")
        try head.fields.append(.setCookie, "SAP_SESSIONID_X=1; Path=/other")
        let token = try #require(CSRFToken(head))
        var request = try HTTPMessages.HTTPRequest(.post, "http://h/s/Set")
        try request.fields.set(.cookie, to: "a=1; sap-XSRF_100=old; b=2")
        try token.apply(to: &request)
        #expect(request.fields["X-CSRF-Token"] == "T1")
        #expect(request.fields[.cookie] == "a=1; b=2; sap-XSRF_100=new")
        #expect(!"\(token)".contains("T1"))
        try head.fields.set("X-CSRF-Token", to: "REQUIRED")
        #expect(CSRFToken(head) == nil && CSRFToken.isRequired(head))
    }
}

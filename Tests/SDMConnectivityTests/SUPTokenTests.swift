import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import SDMConnectivity

@Suite(.needsSlot) struct SUPTokenTests {
    private static func scope(_ text: String = "http://h/") throws -> CSRFScope {
        let request = try HTTPMessages.HTTPRequest(.post, text)
        return CSRFScope(request, service: request.url, user: "ann")
    }

    private static func token(_ value: String) throws -> CSRFToken {
        let fields = try HTTPFields([CSRFToken.field: value])
        return try #require(CSRFToken(HTTPResponseHead(status: .ok, fields: fields, url: URL(httpString: "http://h/"))))
    }

    @Test func `a rejected token is forgotten, another one is used`() async throws {
        let (tokens, scope) = (CSRFTokens(), try Self.scope())
        tokens.learn(try Self.token("T1"), for: scope)
        tokens.reject("T0")
        let known = try await tokens.token(for: scope) { throw CancellationError() }
        #expect(known.token?.value == "T1")
        tokens.reject("T1")
        let new = try await tokens.token(for: scope) { CSRFFetch(try Self.token("T2")) }
        #expect(new.token?.value == "T2" && tokens.token(for: scope)?.value == "T2")
    }

    @Test func `a fetch without a token, or with an error, leaves none`() async throws {
        let (tokens, scope) = (CSRFTokens(), try Self.scope())
        #expect(try await tokens.token(for: scope) { CSRFFetch(nil) }.token == nil)
        await #expect(throws: SDMError.self) { try await tokens.token(for: scope) { throw SDMError.noURL } }
        #expect(tokens.token(for: scope) == nil && tokens.waiterCount == 0)
    }

    @Test func `a token that another response brings during a fetch is not kept`() async throws {
        let (tokens, scope) = (CSRFTokens(), try Self.scope())
        let other = try Self.token("T9")
        let fetched = try await tokens.token(for: scope) {
            tokens.learn(other, for: scope)
            #expect(tokens.token(for: scope) == nil)
            return CSRFFetch(try Self.token("T1"))
        }
        #expect(fetched.token?.value == "T1" && tokens.token(for: scope)?.value == "T1")
    }

    @Test func `the token of a fetch without waiters is not kept`() async throws {
        let (tokens, scope, gate, ended) = (CSRFTokens(), try Self.scope(), Gate(), Gate())
        let waiter = Task {
            try await tokens.token(for: scope) {
                defer { ended.open() }
                try? await gate.wait()
                return CSRFFetch(try Self.token("T1"))
            }
        }
        try await gate.waitForWaiters(1)
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        gate.open()
        try await ended.wait()
        let next = try await tokens.token(for: scope) { CSRFFetch(try Self.token("T2")) }
        #expect(next.token?.value == "T2" && tokens.token(for: scope)?.value == "T2")
    }

    @Test func `tokens are bounded`() throws {
        let tokens = CSRFTokens()
        for number in 0...CSRFTokens.capacity {
            tokens.learn(try Self.token("T\(number)"), for: try Self.scope("http://h\(number)/"))
        }
        #expect(tokens.token(for: try Self.scope("http://h0/")) == nil)
        #expect(tokens.token(for: try Self.scope("http://h\(CSRFTokens.capacity)/"))?.value == "T1000")
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

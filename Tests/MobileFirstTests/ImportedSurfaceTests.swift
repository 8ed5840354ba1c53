import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

/// The classes as Swift imports them from the vendor's headers, without nullability; all spellings are in
/// `.ci/spellings`.
@Suite(.needsSlot) struct ImportedSurfaceTests {
    private let fixture = Fixture()

    @Test func `M2: queryParameters and headers can be set, and replace all`() async throws {
        let request = fixture.request("/adapters/Public/echo?a=1&b=2")
        request.queryParameters = ["c": "x y", "d": ["1", "2"], "e": 3]
        #expect(request.getQueryString() == "c=x%20y&d=1&d=2&e=3")
        #expect(request.queryParameters["d"] as? [String] == ["1", "2"] && request.queryParameters["a"] == nil)
        request.setHeaderValue("1", forName: "X-One")
        request.headers = [WLHeader(headerName: "X-Two", headerValue: "2")]
        #expect(request.headerNames() == ["X-Two"])
        try await request.send()
        let sent = try #require(fixture.transport.requests.last)
        #expect(sent.url.query(percentEncoded: true) == request.getQueryString())
        #expect(sent.fields["X-One"] == nil && sent.fields["X-Two"] == "2")
        request.queryParameters = nil
        request.headers = nil
        #expect(request.getQueryString().isEmpty && request.headerNames().isEmpty)
    }

    @Test func `M1, M6: nil where the vendor's header permits it is an error of the call, and never a trap`() async {
        let changes: [(WLResourceRequest) -> Void] = [
            { $0.setQueryParameterValue("v", forName: nil) }, { $0.setHeaderValue("v", forName: nil) },
            { $0.addHeaderValue("v", forName: nil) }, { $0.queryParameters = ["a": Date()] },
            { $0.queryParameters = ["a": Double.nan] },
        ]
        for change in changes {
            let request = fixture.request("/adapters/Public/echo")
            change(request)
            let error = await failure { () throws(WLError) in try await request.send() }
            #expect(error?.code == .invalidRequest)
        }
        let request = fixture.request("/adapters/Public/echo")
        request.removeHeaders(forName: nil)
        #expect(request.headers(forName: nil).isEmpty && request.header(forName: nil).isEmpty)
        let bare = WLResourceRequest(
            url: nil, method: nil, scope: nil, timeout: nil, backendServiceName: nil, client: fixture.client)
        let error = await failure { () throws(WLError) in try await bare.send() }
        #expect(error?.code == .invalidRequest && "\(bare)".contains("no method"))
        #expect(fixture.transport.requests.isEmpty)
        fixture.client.registerChallengeHandler(nil)
        fixture.client.addGlobalHeader(nil, headerValue: "v")
        fixture.client.removeGlobalHeader(nil)
        #expect(fixture.warnings.value.count == 2 && fixture.client.getGlobalHeaders().isEmpty)
        #expect(fixture.client.getChallengeHandler(bySecurityCheck: nil) == nil)
    }

    @Test func `M21: handlers without arguments take their names from their initializers`() throws {
        final class Login: SecurityCheckChallengeHandler {
            override init() { super.init(securityCheck: "UserLogin") }
        }
        final class Portal: GatewayChallengeHandler {
            override init() { super.init(gatewayName: "portal") }
        }
        let (login, portal) = (fixture.register(Login()), fixture.register(Portal()))
        #expect(login.securityCheck == "UserLogin" && portal.handlerName == "portal")
        let all = try #require(fixture.client.getAllChallengeHandlers())
        #expect(all["UserLogin"] as? Login === login && all["portal"] as? Portal === portal && all.count == 2)
    }

    @Test func `M29: a gateway's handler is asked by each of its names`() async throws {
        final class Handler: GatewayChallengeHandler {
            override func canHandle(_ response: WLResponse!) -> Bool { response.status == 401 }
            override func handleChallenge(_ challenge: WLResponse!) { cancel() }
        }
        let client = WLClient.scripted(ScriptedTransport([], then: .status(.unauthorized)))
        let handler: Handler = Handler(gatewayName: "portal")
        client.registerChallengeHandler(handler)
        let request = client.request("/a")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .challengeCancelled)
    }

    @Test(arguments: [0, -1, .nan, .infinity, 3600] as [Double])
    func `M9: a token with any expiration can be made and cleared`(expiration: Double) throws {
        let token = try #require(AccessToken(token: "t", withExpiration: expiration, forScope: nil) as AccessToken?)
        #expect(token.value == "t" && token.scope.isEmpty && token.expiration != nil)
        fixture.client.authorizationManager.clear(token)
        fixture.client.authorizationManager.clear(nil)
    }

    @Test func `M9: an empty response has empty members`() {
        let response = WLResponse()
        #expect(response.status == 0 && response.responseText == "" && response.responseJSON == nil)
        #expect(response.headers == nil && response.responseData == nil && response.error == nil)
        #expect(!fixture.client.authorizationManager.isGatewayResponse(response))
    }

    @Test func `M10: the login timeout is a number, and nil is the default`() {
        let manager = fixture.client.authorizationManager
        manager.setLoginTimeOut(NSNumber(value: 5))
        #expect(manager.timeOut == 5)
        manager.setLoginTimeout(nil)
        #expect(manager.timeOut == 10)
    }
}

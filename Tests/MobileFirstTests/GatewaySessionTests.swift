import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// Login forms of gateways, and the end of the session for which they log in.
@Suite(.needsSlot) struct GatewaySessionTests {
    /// A gateway whose handler leaves the login to the test.
    struct Portal {
        final class Handler: GatewayChallengeHandler {
            let log = Watched<[String]>([])
            /// Whether a failed form of ann is sent again.
            let sendsAgain = Watched(false)
            override func canHandleResponse(_ response: WLResponse!) -> Bool { response.status == 401 }
            override func handleChallenge(_ challenge: WLResponse!) { log.update { $0.append("challenge") } }
            func submit(_ user: String) {
                submitLoginForm(
                    "gateway/login", requestParameters: nil, requestHeaders: ["X-User": user],
                    requestTimeoutInMilliSeconds: 0)
            }
            override func onSuccess(_ response: WLResponse!) {
                log.update { $0.append("success") }
                submitSuccess(response)
            }
            override func onFailure(_ response: WLFailResponse!) {
                log.update { $0.append("failure") }
                if sendsAgain.value { submit("ann") } else { cancel() }
            }
        }

        /// What waits for the gate, and is cut by a cancellation.
        enum Stage: CaseIterable {
            /// The response to ann's form.
            case head
            /// The body of that response.
            case body
            /// The target of its redirect.
            case redirect
        }

        let gate = Gate()
        let transport: ScriptedTransport
        let client: WLClient
        let handler: Handler

        /// - Parameter status: that of ann's form.
        init(_ status: HTTPStatus, waiting stage: Stage = .head) {
            transport = ScriptedTransport { [gate] request in
                switch request.url.lastPathComponent {
                case "welcome":
                    try await gate.wait()
                    return request.response()
                case "login": break
                default:
                    let isLoggedIn = request.fields[.cookie] == "session=bob"
                    return request.response(isLoggedIn ? .ok : .unauthorized, text: "content or page")
                }
                let user = request.fields["X-User"] ?? ""
                var response = request.response(fields: try HTTPFields(["Set-Cookie": "session=\(user); Path=/"]))
                guard user == "ann" else { return response }
                response.head.status = stage == .redirect ? .found : status
                if stage == .redirect {
                    response.head.fields[.location] = "welcome"
                } else {
                    do { try await gate.wait() } catch {
                        throw TransportError.cancelled(request, head: stage == .body ? response.head : nil)
                    }
                }
                return response
            }
            client = WLClient.scripted(transport)
            handler = Handler(gatewayName: "portal")
            client.registerChallengeHandler(handler)
        }

        func call() -> Task<WLError?, Never> {
            let client = client
            return Task { await failure { () throws(WLError) in try await client.request("/adapters/A/p").send() } }
        }

        func submit(_ user: String) { handler.submit(user) }
        var formCount: Int { transport.requests.count { $0.url.path().hasSuffix("/login") } }

        func logged(_ events: [String]) async throws { _ = try await handler.log.wait { $0 == events } }

        /// The cookies of the calls.
        var cookies: [String?] {
            transport.requests.filter { $0.url.lastPathComponent == "p" }.map { $0.fields[.cookie] }
        }
    }

    @Test func `M29: the cookies of a login are kept though the page after it cannot be had`() async throws {
        let client = WLClient.scripted(
            ScriptedTransport { request in
                switch request.url.lastPathComponent {
                case "welcome": throw TransportError(.connectionLost, "Cut.", request: request)
                case "login":
                    let fields: KeyValuePairs = ["Set-Cookie": "session=ann; Path=/", "Location": "welcome"]
                    return request.response(.found, fields: try HTTPFields(fields))
                default:
                    let isLoggedIn = request.fields[.cookie] == "session=ann"
                    return request.response(isLoggedIn ? .ok : .unauthorized, text: "content or page")
                }
            })
        let handler: Portal.Handler = Portal.Handler(gatewayName: "portal")
        client.registerChallengeHandler(handler)
        let call = Task { await failure { () throws(WLError) in try await client.request("/adapters/A/p").send() } }
        _ = try await handler.log.wait { $0 == ["challenge"] }
        handler.submit("ann")
        _ = try await handler.log.wait { $0 == ["challenge", "failure"] }
        #expect(await call.value?.code == .challengeCancelled)
        try await client.request("/adapters/A/p").send()
        #expect(handler.log.value == ["challenge", "failure"])
    }

    @Test(arguments: [HTTPStatus.ok, .internalServerError], Portal.Stage.allCases)
    func `M23, M29: a logout cancels the form of a challenge, whose cookies are not kept`(
        status: HTTPStatus, stage: Portal.Stage
    ) async throws {
        let portal = Portal(status, waiting: stage)
        try await portal.logOutDuringForm()
        let next = portal.call()
        try await portal.logged(["challenge", "failure", "challenge"])
        #expect(portal.client.HTTPCookieStorage().cookies.isEmpty)
        portal.submit("bob")
        #expect(await next.value == nil && portal.cookies == [nil, nil, "session=bob"])
    }

    @Test func `M23, M29: a form that is sent again when a logout has cancelled it is dropped`() async throws {
        let portal = Portal(.ok)
        portal.handler.sendsAgain.update { $0 = true }
        try await portal.logOutDuringForm()
        let next = portal.call()
        try await portal.logged(["challenge", "failure", "challenge"])
        #expect(portal.formCount == 1)
        portal.submit("bob")
        #expect(await next.value == nil && portal.formCount == 2)
    }

    @Test func `M23, M29: a logout ends the challenge of a handler that another one has replaced`() async throws {
        let portal = Portal(.ok)
        let former = portal.call()
        try await portal.logged(["challenge"])
        portal.submit("ann")
        try await portal.gate.waitForWaiters(1)
        let other: Portal.Handler = Portal.Handler(gatewayName: "portal")
        portal.client.registerChallengeHandler(other)
        portal.client.authorizationManager.logout("PinCode") { _ in }
        #expect(await former.value?.code == .cancelled)
        try await portal.logged(["challenge", "failure"])
        portal.gate.open()
        let next = portal.call()
        _ = try await other.log.wait { $0 == ["challenge"] }
        #expect(portal.client.HTTPCookieStorage().cookies.isEmpty)
        other.submit("bob")
        #expect(await next.value == nil && portal.cookies == [nil, nil, "session=bob"])
        #expect(portal.handler.log.value == ["challenge", "failure"] && other.log.value == ["challenge", "success"])
    }

    @Test(arguments: [(HTTPStatus.ok, "success"), (.internalServerError, "failure")])
    func `M23, M29: a form from before a logout does not end the challenge of the next user`(
        status: HTTPStatus, event: String
    ) async throws {
        let portal = Portal(status)
        // Without a challenge, as apps do to log out, so that it goes on.
        portal.submit("ann")
        try await portal.gate.waitForWaiters(1)
        portal.client.authorizationManager.logout("PinCode") { _ in }
        let next = portal.call()
        try await portal.logged(["challenge"])
        portal.gate.open()
        try await portal.logged(["challenge", event])
        portal.submit("bob")
        #expect(await next.value == nil && portal.cookies == [nil, "session=bob"])
        #expect(portal.handler.log.value == ["challenge", event, "success"])
    }

    @Test func `M23, M29: the form of a challenge keeps no cookie if the app empties the jar meanwhile`() async throws {
        let portal = Portal(.ok)
        let call = portal.call()
        try await portal.logged(["challenge"])
        portal.submit("ann")
        try await portal.gate.waitForWaiters(1)
        portal.client.HTTPCookieStorage().removeAll()
        portal.gate.open()
        try await portal.logged(["challenge", "success", "challenge"])
        #expect(portal.client.HTTPCookieStorage().cookies.isEmpty)
        portal.submit("bob")
        #expect(await call.value == nil)
    }

    @Test func `M29: a failed form of a challenge keeps its cookies`() async throws {
        let portal = Portal(.forbidden)
        portal.gate.open()
        let call = portal.call()
        try await portal.logged(["challenge"])
        portal.submit("ann")
        #expect(await call.value?.code == .challengeCancelled)
        #expect(portal.client.HTTPCookieStorage().cookies.map(\.value) == ["ann"])
    }

    @Test func `M23, M29: a call that starts with the end of a form has a challenge that its handler can end`()
        async throws
    {
        final class Reloading: GatewayChallengeHandler {
            let log = Watched<[String]>([])
            var reload: (() -> Void)?
            override func canHandleResponse(_ response: WLResponse!) -> Bool { response.status == 401 }
            override func handleChallenge(_ challenge: WLResponse!) {
                log.update { $0.append("challenge") }
                guard log.value == ["challenge"] else { return cancel() }
                submitLoginForm(
                    "gateway/login", requestParameters: nil, requestHeaders: nil, requestTimeoutInMilliSeconds: 0)
            }
            override func onFailure(_ response: WLFailResponse!) {
                log.update { $0.append("failure") }
                reload?()
            }
        }
        let gate = Gate()
        let transport = ScriptedTransport { request in
            if request.url.lastPathComponent == "login" { try await gate.wait() }
            return request.response(.unauthorized)
        }
        let client = WLClient.scripted(transport)
        let handler: Reloading = Reloading(gatewayName: "reloading")
        client.registerChallengeHandler(handler)
        let codes = Watched<[WLError.Code?]>([])
        @Sendable func call() async {
            let error = await failure { () throws(WLError) in try await client.request("/adapters/A/p").send() }
            codes.update { $0.append(error?.code) }
        }
        handler.reload = { Task { await call() } }
        let first = Task { await call() }
        try await gate.waitForWaiters(1)
        client.authorizationManager.logout("PinCode") { _ in }
        await first.value
        _ = try await codes.wait { $0.count == 2 }
        #expect(codes.value.contains(.challengeCancelled) && codes.value.contains(.cancelled))
        #expect(handler.log.value == ["challenge", "failure", "challenge"])
        handler.reload = nil
    }
}

extension GatewaySessionTests.Portal {
    /// Logs out while Ann's form is on its way: her call is cancelled, and the challenge fails.
    fileprivate func logOutDuringForm() async throws {
        let former = call()
        try await logged(["challenge"])
        submit("ann")
        try await gate.waitForWaiters(1)
        client.authorizationManager.logout("PinCode") { _ in }
        #expect(await former.value?.code == .cancelled)
        try await logged(["challenge", "failure"])
        gate.open()
    }
}

import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport
import VendorServices

@testable import MobileFirst

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Calls whose threads wait for their completion, as apps do with a semaphore: none of them may be needed by the call.
@Suite struct BlockedThreadTests {
    /// A client and the call that one thread makes.
    struct Layer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let makeClient: @Sendable () -> WLClient
        let call: @Sendable (WLClient, _ done: @escaping @Sendable () -> Void) -> Void

        init(
            _ name: String, _ makeClient: @escaping @Sendable () -> WLClient = { Fixture().client },
            _ call: @escaping @Sendable (WLClient, _ done: @escaping @Sendable () -> Void) -> Void
        ) {
            testDescription = name
            self.makeClient = makeClient
            self.call = call
        }

        /// A layer with a call of a resource that succeeds.
        static func resource(
            _ name: String, _ path: String, _ makeClient: @escaping @Sendable () -> WLClient = { Fixture().client }
        ) -> Layer {
            Layer(name, makeClient) { client, done in
                client.request(path).send { response, error in
                    #expect(error == nil && response?.status == 200, "\(name)")
                    done()
                }
            }
        }
    }

    private final class Gateway: GatewayChallengeHandler {
        override func canHandleResponse(_ response: WLResponse!) -> Bool {
            response.responseText.contains("j_username")
        }
        override func handleChallenge(_ challenge: WLResponse!) {
            submitLoginForm(
                "gateway/login", requestParameters: ["j_username": "ann", "j_password": "open sesame"],
                requestHeaders: nil, requestTimeoutInMilliSeconds: -1)
        }
        override func onSuccess(_ response: WLResponse!) { submitSuccess(response) }
        override func onFailure(_ response: WLFailResponse!) { cancel() }
    }

    private final class Delegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
        private let done: @Sendable () -> Void
        init(_ done: @escaping @Sendable () -> Void) { self.done = done }
        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            #expect(error == nil)
            done()
        }
    }

    private static func pins() -> WLClient {
        let fixture = Fixture()
        fixture.pins("1234")
        return fixture.client
    }

    private static func gateway() -> WLClient {
        let fixture = Fixture(service: { service in
            service.gateway = MobileFirstService.Gateway(users: ["ann": "open sesame"], status: .ok)
        })
        fixture.register(Gateway(gatewayName: "form"))
        return fixture.client
    }

    /// A client whose first response for each request is another one.
    private static func client(_ first: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse?) -> WLClient {
        resourceClient { try first($0) ?? $0.response(text: "content") }.client
    }

    static let layers: [Layer] = [
        .resource("network", "/adapters/Public/echo"),
        .resource("token", "/adapters/Secure/echo"),
        .resource("challenge", "/adapters/Bank/balance", pins),
        .resource("gateway", "/adapters/Public/echo", gateway),
        .resource("gateway and token", "/adapters/Secure/echo", gateway),
        .resource("redirect", "/adapters/A/p") {
            client { request in
                guard request.url.path().hasSuffix("/p") else { return nil }
                return request.response(.found, fields: try HTTPFields(["Location": "q"]))
            }
        },
        .resource("conflict", "/adapters/A/p") {
            let count = Mutex(0)
            return client { request in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                guard isFirst else { return nil }
                return request.response(try #require(HTTPStatus(409)), fields: try HTTPFields(["MFP-Conflict": "true"]))
            }
        },
        Layer("delegate", pins) { client, done in
            client.request("/adapters/Bank/balance").send(withDelegate: Delegate(done))
        },
        Layer("obtainAccessToken", pins) { client, done in
            client.authorizationManager.obtainAccessToken(forScope: "transfer") { token, error in
                #expect(token != nil && error == nil)
                done()
            }
        },
        // Of several at a time, one succeeds.
        Layer("login", pins) { client, done in
            client.authorizationManager.login("PinCode", withCredentials: ["pin": "1234"]) { _ in done() }
        },
        Layer("logout", pins) { client, done in client.authorizationManager.logout("PinCode") { _ in done() } },
        Layer("display name") { client, done in
            client.setDeviceDisplayName("phone") { error in
                #expect(error == nil)
                client.getDeviceDisplayName { name, error in
                    #expect(name == "phone" && error == nil)
                    done()
                }
            }
        },
    ]

    private static func client(_ layer: Layer, _ isInline: Bool) -> WLClient {
        let client = layer.makeClient()
        client.delivery = isInline ? .inline : .main
        return client
    }

    @Test(.needsAllSlots, arguments: layers, [2, 20, 100])
    func `M12: calls complete while threads of a global queue wait for them`(layer: Layer, count: Int) async {
        for isInline in [false, true] {
            let client = Self.client(layer, isInline)
            let completed = Atomic(0)
            let group = DispatchGroup()
            for _ in 0..<count {
                DispatchQueue.global().async(group: group) {
                    let done = DispatchSemaphore(value: 0)
                    layer.call(client) { done.signal() }
                    if done.waitUnlessHung() { completed.add(1, ordering: .relaxed) }
                }
            }
            await withCheckedContinuation { ended in
                Thread.detachNewThread {
                    group.wait()
                    ended.resume()
                }
            }
            #expect(completed.load(ordering: .relaxed) == count, "\(layer.testDescription)")
        }
    }

    @Test(.needsAllSlots, arguments: layers)
    func `M12: calls complete while all threads of the cooperative pool are blocked`(layer: Layer) async {
        for isInline in [false, true] {
            let client = Self.client(layer, isInline)
            #expect(await BlockedPool.run { done in layer.call(client, done) }, "\(layer.testDescription)")
        }
    }
}

import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct DelegateTests {
    private func run(_ body: (LoopbackServer) async throws -> Void) async throws {
        try await LoopbackServer { $0.response(text: "bytes") }.stopping(after: body)
    }

    @Test func `S14: delegates are called on the main thread, in order`() async throws {
        try await run { server in
            let request = try SDMSession.test { $0.delivery = .main }.get(server)
            let delegate = LoggingDelegate()
            request.setClientDelegate(delegate)
            request.startAsynchronous()
            try await #expect(delegate.ended() == ["started", "finished 200"])
            #expect(delegate.isOnMainThread && request.responseString == "bytes")
        }
    }

    @Test func `S14: custom selectors are called on an object that conforms to no protocol`() async throws {
        try await run { server in
            for isValid in [true, false] {
                let request = SDMSession.test().get(isValid ? try server.url(of: "/") : URL(string: "nowhere"))
                let screen = SelectorScreen()
                request.setDelegate(screen)
                request.setDidStartSelector("serviceDocFetchStarted:")
                request.setDidFinishSelector("serviceDocFetchComplete:")
                request.setDidFailSelector("serviceDocFetchFailed:")
                await request.ended()
                let events = try await screen.log.wait { $0.last == "complete" || $0.last == "failed 6" }
                #expect(events == (isValid ? ["started", "received 5", "complete"] : ["failed 6"]))
                #expect(request.responseData == nil)
            }
        }
    }

    @Test func `S14: custom selectors get fields and bytes, and decide about redirects and credentials`() async throws {
        let transport = ScriptedTransport([
            .response(
                .unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#, "X-Step": "1"])),
            .response(.found, fields: try HTTPFields(["Location": "/end", "X-Step": "2"])),
            .response(.ok, fields: try HTTPFields(["X-Step": "3"]), body: Data("bytes".utf8)),
        ])
        let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
        let screen = DecidingScreen()
        request.delegate = screen
        request.setDidReceiveResponseHeadersSelector("got:fields:")
        request.setDidReceiveDataSelector("got:data:")
        request.setWillRedirectSelector("moves:to:")
        request.setDidReceiveAuthChallengeSelector("login:")
        #expect(await request.ended() == nil && request.responseData == nil)
        #expect(screen.log.value == ["fields 1", "login", "fields 2", "moves to /end", "fields 3", "data 5"])
        #expect(transport.requests.map { $0.url.path() } == ["/", "/", "/end"])
        #expect(transport.requests.map { $0.fields[.authorization] != nil } == [false, true, false])
    }

    @Test func `S14: the fields come as headers or as a dictionary`() async throws {
        let transport = ScriptedTransport { $0.response(fields: try HTTPFields(["X-Step": "1"]), text: "ok") }
        for delegate in [HeaderScreen(), DictionaryScreen()] as [any SDMHttpRequestDelegate & LoggingFields] {
            let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
            request.delegate = delegate
            #expect(await request.ended() == nil && delegate.log.value == ["1"])
        }
    }

    @Test func `S14: a delegate without the methods is fine`() async throws {
        try await run { server in
            let (object, warnings) = (NSObject(), Watched<[String]>([]))
            let session = SDMSession.test { $0.warn = { text in warnings.update { $0.append(text) } } }
            let request = try session.get(server)
            request.delegate = object
            request.downloadProgressDelegate = object
            request.setDidFinishSelector("unknown:")
            #expect(await request.ended() == nil && request.responseString == "bytes")
            // The app has named one, and the progress has none.
            #expect(warnings.value.count == 2 && warnings.value.last?.contains(#""unknown:""#) == true)
            #expect(warnings.value.first?.contains("`SDMProgressDelegate`") == true)
        }
    }

    @Test(arguments: [nil, URL(string: "http://example.com/")])
    func `a delegate that is not called is a warning, also without a URL`(url: URL?) async throws {
        let delegates: [(object: AnyObject, hasMethod: Bool)] = [
            (NSObject(), false), (SelectorScreen(), true), (LoggingDelegate(), true),
        ]
        for (object, hasMethod) in delegates {
            for name in [nil, "unknown:"] {
                let warnings = Watched<[String]>([])
                let session = SDMSession.test(ScriptedTransport { $0.response(text: "ok") }) { configuration in
                    configuration.warn = { text in warnings.update { $0.append(text) } }
                }
                let request = session.get(url)
                request.delegate = object
                if let name { request.setDidFailSelector(name) }
                #expect(await request.ended()?.errorCode == (url == nil ? 5 : nil))
                #expect(warnings.value.count == (hasMethod && name == nil ? 0 : 1))
                #expect(warnings.value.allSatisfy { $0.contains(name ?? "NSObject has no method") })
            }
        }
    }

    @Test func `a progress delegate of a queue that is not called is a warning`() {
        let warnings = Watched<[String]>([])
        let queue = SDMNetworkQueue(
            session: .test { $0.warn = { text in warnings.update { $0.append(text) } } })
        let (progress, object) = (ProgressLog(), NSObject())
        for delegate in [nil, progress, object] as [AnyObject?] {
            queue.uploadProgressDelegate = delegate
            queue.downloadProgressDelegate = delegate
        }
        #expect(warnings.value.count == 2 && warnings.value.allSatisfy { $0.contains("NSObject has no method") })
    }

    @Test func `S14: each spelling of the method for received bytes works`() async throws {
        try await run { server in
            let (short, long, misspelled) = (CollectingDelegate(), LongSpellingDelegate(), MisspellingDelegate())
            for (delegate, bytes) in [
                (short as AnyObject, short.bytes), (long, long.bytes), (misspelled, misspelled.bytes),
            ] {
                let request = try SDMSession.test().get(server)
                request.delegate = delegate
                #expect(await request.ended() == nil && bytes.value == Data("bytes".utf8))
                #expect(request.responseData == nil)
            }
        }
    }

    @Test func `S29: the delegate gets all bytes, and the request keeps none`() async throws {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await LoopbackServer { $0.response(body: body) }.stopping { server in
            for delivery in [Delivery.inline, .main] {
                let request = try SDMSession.test { $0.delivery = delivery }.get(server)
                let delegate = CollectingDelegate()
                request.delegate = delegate
                let response = try await request.response()
                // The delegate has all bytes when the response is returned.
                #expect(delegate.bytes.value == body && request.totalBytesRead == 3_000_000)
                #expect(response.body.isEmpty && request.responseData?.isEmpty ?? true)
            }
        }
    }

    @Test func `a delegate without a method for bytes leaves them to the request`() async throws {
        try await run { server in
            let request = try SDMSession.test { $0.delivery = .main }.get(server)
            let delegate = LoggingDelegate()
            request.delegate = delegate
            await onThread { request.startSynchronous() }
            // Also before the main queue has called the delegate.
            #expect(request.responseData == Data("bytes".utf8))
            _ = try await delegate.ended()
            #expect(request.responseData == Data("bytes".utf8))
        }
    }

    @Test func `S15: a blocking start calls delegates and returns when the request is complete`() async throws {
        try await run { server in
            let request = try SDMSession.test { $0.delivery = .main }.get(server)
            let delegate = LoggingDelegate()
            request.delegate = delegate
            await onThread {
                request.startSynchronous()
                #expect(request.complete && request.responseStatusCode == 200)
            }
            try await #expect(delegate.ended() == ["started", "finished 200"])
            #expect(delegate.isOnMainThread)
        }
    }

    @Test func `S15: on the main thread the delegates are called before a blocking start returns`() async throws {
        try await run { server in
            let request = try SDMSession.test { $0.delivery = .main }.get(server)
            let delegate = LoggingDelegate()
            request.delegate = delegate
            await withCheckedContinuation { done in
                DispatchQueue.main.async {
                    request.startSynchronous()
                    #expect(delegate.events == ["started", "finished 200"] && delegate.isOnMainThread)
                    done.resume()
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `S15: on the queue of the delivery, or on one that targets it, delegates are called in place`(
        isNested: Bool
    ) async throws {
        let queue = DispatchQueue(label: "delivery")
        let transport = ScriptedTransport([
            .response(.found, fields: try HTTPFields(["Location": "/next"])), .text("bytes"),
        ])
        let request = SDMSession.test(transport) { $0.delivery = .queue(queue) }.get(URL(string: "http://example.com/"))
        // It decides about the redirect, so a callback that waits for the queue would never run.
        let delegate = LoggingDelegate()
        request.delegate = delegate
        await withCheckedContinuation { done in
            (isNested ? DispatchQueue(label: "nested", target: queue) : queue).async {
                request.startSynchronous()
                done.resume()
            }
        }
        let events = ["started", "redirected", "will redirect to /next", "started", "finished 200"]
        #expect(delegate.events == events && request.responseString == "bytes")
    }

    @Test func `S15: a blocking start asks for no credentials`() async throws {
        try await LoopbackServer { request in
            request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]))
        }.stopping { server in
            let request = try SDMSession.test().get(server)
            let delegate = LoggingDelegate()
            request.delegate = delegate
            await onThread { request.startSynchronous() }
            #expect(request.error?.errorCode == 3)
            #expect(request.error?.message.contains("a synchronous start does not ask the delegate") == true)
            try await #expect(delegate.ended() == ["started", "failed 3"])
        }
    }

    @Test(arguments: ["none", "withTwo:other:", "unregistered:"])
    func `a selector of another number of arguments fails the request before it is sent`(selector: String) async throws
    {
        let transport = ScriptedTransport { $0.response(text: "ok") }
        for isFinish in [true, false] {
            let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
            let screen = OtherArityScreen()
            request.delegate = screen
            request.setDidFailSelector("failed:")
            if isFinish { request.setDidFinishSelector(selector) } else { request.setDidStartSelector(selector) }
            let error = await request.ended()
            // An object without the method is no mistake.
            let isMistake = selector != "unregistered:"
            #expect(error?.code == (isMistake ? .internalErrorWhileBuildingRequest : nil))
            #expect(error?.message.contains(selector) ?? true)
            #expect(screen.log.value == (isMistake ? ["failed"] : []))
        }
        #expect(transport.requests.count == (selector == "unregistered:" ? 2 : 0))
    }

    @Test func `a mistake in the delegate's table fails the request before it is sent`() async throws {
        let transport = ScriptedTransport { $0.response(text: "ok") }
        let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
        let screen = MalformedScreen()
        request.delegate = screen
        request.setDidFinishSelector("done")
        let error = await request.ended()
        #expect(error?.code == .internalErrorWhileBuildingRequest && error?.underlying is SelectorError)
        #expect(transport.requests.isEmpty)
    }

    @Test func `S46: a delegate may be released while the request is in flight`() async throws {
        let gate = Gate()
        let service = ClosureService { $0.response(text: "bytes") }
        try await LoopbackServer(script: { _ in [.wait(for: gate), .respond(with: service)] }).stopping { server in
            let request = try SDMSession.test().get(server)
            var delegate: LoggingDelegate? = LoggingDelegate()
            var progress: ProgressLog? = ProgressLog()
            request.delegate = delegate
            request.downloadProgressDelegate = progress
            request.startAsynchronous()
            try await gate.waitForWaiters(1)
            delegate = nil
            progress = nil
            #expect(request.delegate == nil && request.downloadProgressDelegate == nil)
            #expect(delegate == nil && progress == nil)
            gate.open()
            #expect(await request.ended() == nil && request.responseString == "bytes")
        }
    }

    @Test func `a start after the end has no effect but a warning, and the results stay`() async throws {
        try await run { server in
            let warnings = Watched<[String]>([])
            let session = SDMSession.test { $0.warn = { text in warnings.update { $0.append(text) } } }
            let request = try session.get(server)
            let delegate = LoggingDelegate()
            request.delegate = delegate
            await request.ended()
            // It waits for the response that is there.
            #expect(await request.ended() == nil && warnings.value.isEmpty)
            request.startAsynchronous()
            await onThread { request.startSynchronous() }
            SDMNetworkQueue(session: session).addOperation(request)
            #expect(warnings.value.count == 3)
            request.url = try server.url(of: "/other")
            #expect(await request.ended() == nil && warnings.value.count == 4)
            #expect(warnings.value.allSatisfy { $0.contains("has ended") && $0.contains("`copy()`") })
            #expect(server.requestCount == 1)
            #expect(delegate.endCount == 1 && request.responseString == "bytes")
        }
    }
}

private protocol LoggingFields { var log: Watched<[String]> { get } }

private final class HeaderScreen: SDMHttpRequestDelegate, LoggingFields, Sendable {
    let log = Watched<[String]>([])
    func request(_ request: SDMHttpRequest, didReceiveResponseHeaders headers: SDMResponseHeaders) {
        log.update { $0.append(headers["x-step"] ?? "") }
    }
}

private final class DictionaryScreen: SDMHttpRequestDelegate, LoggingFields, Sendable {
    let log = Watched<[String]>([])
    func request(_ request: SDMHttpRequest, didReceiveResponseHeaders headers: [String: String]) {
        log.update { $0.append(headers["X-Step"] ?? "") }
    }
}

/// A delegate that decides, by custom selectors.
private final class DecidingScreen: SelectorTarget, Sendable {
    let log = Watched<[String]>([])

    static var selectors: SelectorTable {
        [
            .method("got:fields:", DecidingScreen.got(_:fields:)), .method("got:data:", DecidingScreen.got(_:data:)),
            .method("moves:to:", DecidingScreen.moves), .method("login:", DecidingScreen.login),
        ]
    }

    private func add(_ event: String) { log.update { $0.append(event) } }

    func got(_ request: SDMHttpRequest, fields: [String: String]) { add("fields \(fields["X-Step"] ?? "")") }
    func got(_ request: SDMHttpRequest, data: Data) { add("data \(data.count)") }
    func moves(_ request: SDMHttpRequest, to url: URL) {
        add("moves to \(url.path())")
        request.redirect(to: url)
    }
    func login(_ request: SDMHttpRequest) {
        add("login")
        (request.username, request.password) = ("ann", "secret")
        request.retryUsingSuppliedCredentials()
    }
}

/// A delegate whose methods take other numbers of arguments than a request passes.
private final class OtherArityScreen: SelectorTarget, Sendable {
    let log = Watched<[String]>([])

    static var selectors: SelectorTable {
        [
            .method("none", OtherArityScreen.none), .method("withTwo:other:", OtherArityScreen.withTwo),
            .method("failed:", OtherArityScreen.failed),
        ]
    }

    func none() { log.update { $0.append("none") } }
    func withTwo(_ request: SDMHttpRequest, _ other: Int) { log.update { $0.append("two") } }
    func failed(_ request: SDMHttpRequest) { log.update { $0.append("failed") } }
}

/// A delegate with a selector that lacks its colon.
private final class MalformedScreen: SelectorTarget, Sendable {
    static var selectors: SelectorTable { [.method("done", MalformedScreen.done)] }
    func done(_ request: SDMHttpRequest) {}
}

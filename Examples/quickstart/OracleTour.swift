import Delegation
import Dispatch
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import Queueing
import ResponseDecoding
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Goes through the main uses of Oracle's API, one after the other.
func oracleTour(_ server: LoopbackServer) async throws {
    let story = Story(server: server)
    let origin = "http://127.0.0.1:\(server.port)"
    await addPayload(origin, story)
    await addUnstable(origin, story)
    await addVendorsSample(story)
    try await overtakeInBackground(origin, story)
    try await sendTyped(origin, story)
}

/// A payload as JSON, in gzip, as old code adds it.
private func addPayload(_ origin: String, _ story: Story) async {
    story.chapter(
        "POST a payload in gzip",
        code: """
            let request = ORARequest(url: "…/v3/account")
            request.payload = ["events": [["timestamp": "…", "name": "tour"]]]
            request.compression = true
            request.requestTag = "events"
            ORAHTTPManager.shared().addRequest(request, completionHandler: { response in … })
            """)
    let request = ORARequest(url: origin + "/v3/account")
    request.payload = ["events": [["timestamp": "2026-01-01T00:00:00Z", "name": "tour"]]]
    request.compression = true
    request.requestTag = "events"
    await withCheckedContinuation { done in
        ORAHTTPManager.shared().addRequest(
            request,
            completionHandler: { response in
                story.wire()
                story.result(
                    "\(response.requestTag ?? ""): \(String(decoding: response.data ?? Data(), as: UTF8.self))")
                done.resume()
            })
    }
}

/// A server that fails once, and is asked again.
private func addUnstable(_ origin: String, _ story: Story) async {
    story.chapter(
        "A server that fails is asked again",
        code: """
            let request = ORARequest(url: "…/unstable")
            request.requestType = GET
            request.payload = ["try": "hard"]
            request.retryCount = 3
            """)
    let request = ORARequest(url: origin + "/unstable")
    request.requestType = GET
    request.payload = ["try": "hard"]
    request.retryCount = 3
    await withCheckedContinuation { done in
        ORAHTTPManager.shared().addRequest(request) { response in
            story.wire()
            story.result((response.response as? HTTPURLResponse).map { "status \($0.statusCode)" } ?? "no answer")
            done.resume()
        }
    }
}

/// The URL of the vendor's own sample, which has no scheme.
private func addVendorsSample(_ story: Story) async {
    story.chapter("The URL of the vendor's sample", code: "let request = ORARequest(url: \"www.abc.come/xyz\")")
    await withCheckedContinuation { done in
        ORAHTTPManager.shared().addRequest(ORARequest(url: "www.abc.come/xyz")) { response in
            story.result(response.error.map { "\($0)" } ?? "no error")
            done.resume()
        }
    }
}

/// A queue that pauses in the background; an urgent request goes first when it goes on.
private func overtakeInBackground(_ origin: String, _ story: Story) async throws {
    story.chapter(
        "In the background the queue pauses; Immediate goes first when it goes on",
        code: """
            let manager = HTTPManager(transport: URLSessionTransport.shared, lifecycle: lifecycle)
            lifecycle.enterBackground()
            manager.addRequest(normal) { … }
            manager.addRequest(urgent) { … }    // urgent.priority = Immediate
            lifecycle.enterForeground()
            """)
    let lifecycle = ORAManualLifecycle()
    let manager = HTTPManager(
        transport: URLSessionTransport.shared,
        settings: ORASettingsStore(file: FileManager.default.temporaryDirectory.appending(path: "quickstart.json")),
        lifecycle: lifecycle)
    lifecycle.enterBackground()
    var calls: [ORACall] = []
    for (tag, priority) in [("normal", Normal), ("urgent", Immediate)] {
        let request = ORARequest(url: origin + "/echo")
        request.requestType = GET
        request.payload = ["i": tag]
        request.priority = priority
        request.requestTag = tag
        calls.append(manager.addRequest(request) { story.result("\($0.requestTag ?? "") is done") })
    }
    while manager.queue.waitingCount < 2 { try await Task.sleep(for: .milliseconds(5)) }
    story.result("\(manager.queue.waitingCount) requests wait")
    lifecycle.enterForeground()
    for call in calls { await call.wait() }
    // The handlers are on their way to the main queue.
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    story.wire()
}

private struct Echo: Decodable {
    let method: String
    let query: [String: String]
}

/// A typed answer, with async/await.
private func sendTyped(_ origin: String, _ story: Story) async throws {
    story.chapter(
        "With async/await, decoded",
        code: "let echo = try await ORAHTTPManager.shared().send(request, as: .json(Echo.self))")
    let request = ORARequest(url: origin + "/echo?from=tour")
    let echo = try await ORAHTTPManager.shared().send(request, as: .json(Echo.self))
    story.wire()
    story.result("\(echo.method) from \(echo.query["from"] ?? "nowhere")")
}

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

/// Shows the main uses of Oracle's API.
func oracleTour(_ server: LoopbackServer) async throws {
    let transcript = Transcript(server: server)
    let origin = "http://127.0.0.1:\(server.port)"
    await addPayload(origin, transcript)
    await addUnstable(origin, transcript)
    await addVendorsSample(transcript)
    try await overtakeInBackground(origin, transcript)
    try await sendTyped(origin, transcript)
}

/// Sends a payload as gzipped JSON, as old code does.
private func addPayload(_ origin: String, _ transcript: Transcript) async {
    transcript.section("POST a payload in gzip")
    // show
    let request = ORARequest(url: origin + "/v3/account")
    request.payload = ["events": [["timestamp": "2026-01-01T00:00:00Z", "name": "tour"]]]
    request.compression = true
    request.requestTag = "events"
    await withCheckedContinuation { done in
        ORAHTTPManager.shared().addRequest(
            request,
            completionHandler: { response in
                transcript.showRequests()
                transcript.showResult(
                    "\(response.requestTag ?? ""): \(String(decoding: response.data ?? Data(), as: UTF8.self))")
                done.resume()
            })
    }
    // end
}

/// Retries a request on a server that fails once.
private func addUnstable(_ origin: String, _ transcript: Transcript) async {
    transcript.section("Retry after a server error")
    // show
    let request = ORARequest(url: origin + "/unstable")
    request.requestType = GET
    request.payload = ["try": "hard"]
    request.retryCount = 3
    await withCheckedContinuation { done in
        ORAHTTPManager.shared().addRequest(request) { response in
            transcript.showRequests()
            transcript.showResult(
                (response.response as? HTTPURLResponse).map { "status \($0.statusCode)" } ?? "no response")
            done.resume()
        }
    }
    // end
}

/// Uses the URL of the vendor's own sample, which has no scheme.
private func addVendorsSample(_ transcript: Transcript) async {
    transcript.section("The URL of the vendor's sample")
    // show
    await withCheckedContinuation { done in
        ORAHTTPManager.shared().addRequest(ORARequest(url: "www.abc.come/xyz")) { response in
            transcript.showResult(response.error.map { "\($0)" } ?? "no error")
            done.resume()
        }
    }
    // end
}

/// Pauses the queue in the background; after resuming, an urgent request starts first.
private func overtakeInBackground(_ origin: String, _ transcript: Transcript) async throws {
    transcript.section("The queue pauses in the background; then a request with the priority Immediate starts first")
    // show
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
        calls.append(manager.addRequest(request) { transcript.showResult("\($0.requestTag ?? "") is done") })
    }
    while manager.queue.waitingCount < 2 { try await Task.sleep(for: .milliseconds(5)) }
    transcript.showResult("\(manager.queue.waitingCount) requests are waiting")
    lifecycle.enterForeground()
    // end
    for call in calls { await call.wait() }
    // The completion handlers run on the main queue.
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    transcript.showRequests()
}

private struct Echo: Decodable {
    let method: String
    let query: [String: String]
}

/// Sends a request with async/await and decodes the response.
private func sendTyped(_ origin: String, _ transcript: Transcript) async throws {
    transcript.section("With async/await, decoded")
    // show
    let request = ORARequest(url: origin + "/echo?from=tour")
    let echo = try await ORAHTTPManager.shared().send(request, as: .json(Echo.self))
    // end
    transcript.showRequests()
    transcript.showResult("\(echo.method) from \(echo.query["from"] ?? "nowhere")")
}

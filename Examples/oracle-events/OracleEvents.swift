import ExampleSupport
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import ResponseDecoding
import VendorServices

private struct Accepted: Decodable, Sendable { let accepted: Int }

@main struct OracleEvents: Example {
    static let name = "oracle-events"
    static let summary = "An app for Oracle's CX Mobile SDK: events in gzip, retries, and the errors of both kinds."
    static let requirements = """
        The server collects events: POST /v3/shop with {"events": [{"timestamp": "...", ...}]}, also in gzip, returns
        {"accepted": 1}, and a status of 4xx for a body without events. A run
        sends two events.
        """

    static func startServer() throws -> LoopbackServer {
        let service = OracleService()
        // The first request fails, so that there is something to retry.
        return try LoopbackServer { request -> ServerScript in
            [.respond(with: service, fault: request.number == 0 ? .status(.serviceUnavailable) : nil)]
        }
    }

    static func run(at server: String) async throws {
        let url = server + "/v3/shop"
        print("An event, for a completion handler; a server that fails is asked again:")
        let opened = event("opened", to: url)
        opened.compression = true
        opened.retryCount = 3
        opened.requestTag = "opened"
        let status = await withCheckedContinuation { done in
            // Handlers run on the main queue.
            ORAHTTPManager.shared().addRequest(opened) { response in
                show(response)
                done.resume(returning: response.statusCode)
            }
        }
        guard status == 200 else { throw Unexpected("The server does not take the event.") }

        print("A body that the server rejects; `error` is nil, so the status has to be checked:")
        let empty = ORARequest(url: url)
        empty.payload = ["events": [String]()]
        empty.requestTag = "empty"
        let rejected = await ORAHTTPManager.shared().addRequest(empty)
        show(rejected)
        guard let status = rejected.statusCode, (400..<500).contains(status) else {
            throw Unexpected("The server does not reject a body without events.")
        }

        print("A server that is not there:")
        let nowhere = try RefusedPort()
        let lost = event("lost", to: "\(nowhere.url)/v3/shop")
        lost.retryCount = 0
        lost.requestTag = "lost"
        show(await ORAHTTPManager.shared().addRequest(lost))
        withExtendedLifetime(nowhere) {}

        print("With async/await, decoded; both kinds of failure are errors:")
        let accepted = try await ORAHTTPManager.shared().send(event("paid", to: url), as: .json(Accepted.self))
        print("  accepted: \(accepted.accepted)")
        do {
            _ = try await ORAHTTPManager.shared().send(empty, as: .json(Accepted.self))
            throw Unexpected("The server does not reject a body without events.")
        } catch let error as ORAError {
            switch error.code {
            case .status: print("  rejected with \(error.response?.status.code ?? 0): do not send it again")
            case .cancelled: print("  cancelled")
            // The network, or a body that is not what was expected: keep the event, such as in an `Outbox`.
            default: throw error
            }
        }
    }

    private static func event(_ name: String, to url: String) -> ORARequest {
        let request = ORARequest(url: url)
        request.payload = ["events": [["timestamp": "2026-01-01T00:00:00Z", "name": name]]]
        return request
    }

    private static func show(_ response: ORAResponse) {
        let tag = response.requestTag ?? "untagged"
        if let error = response.error as? ORAError {
            print("  \(tag): no response (\(error.code))")
        } else if response.statusCode == 200 {
            print("  \(tag): \(String(decoding: response.data ?? Data(), as: UTF8.self))")
        } else {
            print("  \(tag): status \(response.statusCode ?? 0)")
        }
    }
}

import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Transport

@testable import SDMConnectivity

extension SDMSession {
    /// A session that calls delegates in place.
    static func test(
        _ transport: some Transport = TestTransport.withoutDeadlines,
        clock: some Clock<Duration> = ContinuousClock(), _ change: (inout Configuration) -> Void = { _ in }
    ) -> SDMSession {
        var configuration = Configuration(delivery: .inline, preferredLanguages: { ["en"] })
        change(&configuration)
        return SDMSession(transport: transport, configuration: configuration, clock: clock)
    }

    /// A GET request.
    func get(_ url: URL?) -> SDMHttpRequest { SDMHttpRequest(url: url, session: self) }

    /// A GET request for a path of a server.
    func get(_ server: LoopbackServer, _ path: String = "/") throws -> SDMHttpRequest { get(try server.url(of: path)) }

    /// A request with a body.
    func post(_ server: LoopbackServer, _ path: String = "/", body: String) throws -> SDMHttpRequest {
        let request = try get(server, path)
        request.requestMethod = "POST"
        request.appendPost(Data(body.utf8))
        return request
    }
}

extension SDMHttpRequest {
    /// Starts the request and waits for its end.
    /// - Returns: its error.
    @discardableResult
    func ended() async -> SDMError? {
        do {
            try await response()
            return nil
        } catch {
            return error
        }
    }
}

/// Runs a blocking call on a thread of its own.
func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { done in
        Thread {
            body()
            done.resume()
        }.start()
    }
}

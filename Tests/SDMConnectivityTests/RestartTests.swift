import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct RestartTests {
    private let url = URL(string: "http://example.com/")

    /// One step before a complete response.
    enum Restart: CaseIterable, Sendable {
        case none, redirect, challenge, timeout, lostConnection

        func step() throws -> ScriptedTransport.Step? {
            switch self {
            case .none: nil
            case .redirect: .response(.found, fields: try HTTPFields(["Location": "/next"]))
            case .challenge: .response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]))
            case .timeout: .failure(.timedOut)
            case .lostConnection: .failure(.connectionLost)
            }
        }
    }

    @Test(arguments: Restart.allCases)
    func `S16: requestStarted is called at each restart`(restart: Restart) async throws {
        let transport = ScriptedTransport([try restart.step(), .text("ok")].compactMap(\.self))
        let request = SDMSession.test(transport).get(url)
        let delegate = LoggingDelegate()
        request.delegate = delegate
        (request.username, request.password, request.retryCountOnTimeout) = ("ann", "secret", 1)
        #expect(await request.ended() == nil)
        let starts = delegate.events.filter { $0 == "started" }.count
        #expect(starts == (restart == .none ? 1 : 2) && starts == transport.requests.count)
        #expect(delegate.events.last == "finished 200" && delegate.endCount == 1)
    }

    @Test func `S16: requestStarted is not called for a cached response`() async throws {
        let transport = ScriptedTransport([.response(fields: try HTTPFields(["Cache-Control": "max-age=60"]))])
        let session = SDMSession.test(transport)
        for isCached in [false, true] {
            let request = session.get(url)
            let delegate = LoggingDelegate()
            request.delegate = delegate
            request.downloadCache = session.downloadCache
            #expect(await request.ended() == nil && request.didUseCachedResponse == isCached)
            #expect(delegate.events == (isCached ? [] : ["started"]) + ["finished 200"])
        }
    }
}

import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// The progress of calls with a delegate, blocking calls, logins and logouts; `TransferTests` has the other forms.
@Suite(.needsSlot) struct ObserverTests {
    fileprivate typealias Agent = ServerAgent<ServiceTransport<ClosureService>>

    private let agent: Agent

    init() throws {
        agent = Agent(
            transport: ServiceTransport { $0.response(json: ["token": "t"]) },
            scope: try AKAppScope("http://akula.test/app"))
        agent.delivery = .inline
    }

    private func expectProgress(_ recorder: EventRecorder, sourceLocation: SourceLocation = #_sourceLocation) {
        let last = recorder.events.compactMap(TransferProgress.init).last
        #expect(last?.direction == .download && last?.fraction == 1, sourceLocation: sourceLocation)
    }

    @Test(arguments: Verb.allCases)
    func `every verb reports its progress: with a delegate and blocking`(verb: Verb) async throws {
        let (delegate, thrown, reporting) = (EventRecorder(), EventRecorder(), EventRecorder())
        await verb.start(agent, delegate).wait()
        expectProgress(delegate)
        try verb.block(agent, thrown)
        expectProgress(thrown)
        var error: NSError?
        verb.block(agent, reporting, error: &error)
        #expect(error == nil)
        expectProgress(reporting)
    }

    @Test func `logins and logouts report their progress, in every form`() async throws {
        let recorders = (0..<8).map { _ in EventRecorder() }
        try await agent.login(principal: [:], secret: [:], observer: recorders[0])
        try await agent.logout(observer: recorders[1])
        _ = try blocking { try agent.loginSync(principal: [:], secret: [:], observer: recorders[2]) }
        try blocking { try agent.logoutSync(observer: recorders[3]) }
        await agent.login(principal: [:], secret: [:], observer: recorders[4], delegate: nil).wait()
        await agent.logout(observer: recorders[5], delegate: nil).wait()
        await agent.login(principal: [:], secret: [:], observer: recorders[6]) { _ in }.wait()
        await agent.logout(observer: recorders[7]) { _ in }.wait()
        for recorder in recorders { expectProgress(recorder) }
    }
}

extension Verb {
    fileprivate func start(_ agent: ObserverTests.Agent, _ observer: EventRecorder) -> AKCall {
        switch self {
        case .get: agent.get("/x", observer: observer, delegate: nil)
        case .post: agent.post("/x", observer: observer, delegate: nil)
        case .put: agent.put("/x", observer: observer, delegate: nil)
        case .delete: agent.delete("/x", observer: observer, delegate: nil)
        }
    }

    fileprivate func block(_ agent: ObserverTests.Agent, _ observer: EventRecorder) throws {
        switch self {
        case .get: try agent.getSync("/x", observer: observer)
        case .post: try agent.postSync("/x", observer: observer)
        case .put: try agent.putSync("/x", observer: observer)
        case .delete: try agent.deleteSync("/x", observer: observer)
        }
    }

    fileprivate func block(_ agent: ObserverTests.Agent, _ observer: EventRecorder, error: inout NSError?) {
        switch self {
        case .get: agent.getSync("/x", observer: observer, error: &error)
        case .post: agent.postSync("/x", observer: observer, error: &error)
        case .put: agent.putSync("/x", observer: observer, error: &error)
        case .delete: agent.deleteSync("/x", observer: observer, error: &error)
        }
    }
}

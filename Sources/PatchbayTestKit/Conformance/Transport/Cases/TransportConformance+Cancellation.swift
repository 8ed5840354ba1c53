import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    /// A case that cancels a request whose server stalls, so only the cancellation can end it. One that needs streaming
    /// is streamed.
    private static func cancelled(
        _ name: String, _ fault: Fault, needs: Set<ConformanceSubject.Capability> = [.faults],
        method: HTTPMethod = .get,
        body: @escaping @Sendable () -> HTTPBody = { .empty },
        when hasReached: @escaping @Sendable (ConformanceRig, EventRecorder) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: needs) { subject in
            try await subject.serving(.text, faults: { $0 == 0 ? fault : nil }) { rig in
                let events = EventRecorder()
                let once = ExactlyOnce<HTTPResponse>()
                let request = try rig.request(method, body: body())
                let call = Task {
                    await once.run {
                        guard needs.contains(.streaming) else {
                            return try await rig.transport.send(request, observer: events)
                        }
                        return try await rig.streaming.stream(request, observer: events).collect()
                    }
                }
                try await hasReached(rig, events)
                call.cancel()
                let outcome = try await once.outcome
                guard case .cancellation = outcome else {
                    throw ConformanceFailure("expected a cancellation, got \(outcome)")
                }
                // The next request is not affected.
                try await expect(rig.send().status, is: .ok, "the status of the next request")
                try once.check()
            }
        }
    }

    /// Cancellation.
    static let cancellation: [ConformanceCase] = [
        ConformanceCase("a call in a cancelled task sends nothing") { subject in
            try await subject.serving(.text) { rig in
                let gate = Gate()
                let call = Task {
                    try? await gate.wait()
                    return try await rig.send()
                }
                call.cancel()
                try await expectError(.cancelled) { try await call.value }
                try expect(rig.requests.count, is: 0, "the number of requests")
            }
        },
        cancelled("cancelling ends the wait for the head", .stall(.beforeHead)) { rig, _ in
            try await rig.requests(count: 1)
        },
        cancelled(
            "cancelling ends the wait for the head of a stream", .stall(.beforeHead), needs: [.faults, .streaming]
        ) { rig, _ in try await rig.requests(count: 1) },
        cancelled("cancelling ends the wait for the rest of the head", .stall(.inHead)) { rig, _ in
            try await rig.requests(count: 1)
        },
        cancelled("cancelling ends the wait for the rest of the body", .stall(.inBody)) { rig, events in
            try await rig.requests(count: 1)
            guard rig.server != nil else { return }
            try await events.wait { $0.contains { if case .receivedBytes = $0 { true } else { false } } }
        },
        ConformanceCase("cancelling ends the wait for a body that is a stream") { subject in
            try await subject.serving(.echo) { rig in
                let read = Gate()
                let stream = AsyncStream<Data>(unfolding: {
                    try? await read.wait()
                    return nil
                })
                let request = try rig.request(.post, body: .stream(stream))
                let call = Task { try await rig.transport.send(request) }
                try await read.waitForWaiters(1)
                call.cancel()
                try await expectError(.cancelled) { try await call.value }
                try await expect(rig.send(.post, body: .text("next")).body, is: Data("next".utf8))
            }
        },
        ConformanceCase("cancelling after the end does nothing") { subject in
            try await subject.serving(.echo) { rig in
                let request = try rig.request(.post, body: .text("x"))
                let call = Task { try await rig.transport.send(request) }
                try await expect(call.value.body, is: Data("x".utf8))
                call.cancel()
                try await expect(call.value.body, is: Data("x".utf8))
            }
        },
        ConformanceCase("each of two hundred concurrent calls, all cancelled, ends once") { subject in
            let gate = Gate()
            let service = ClosureService { request in
                if request.url.path() == "/shut" { try await gate.wait() }
                return request.response()
            }
            try await subject.serving(service) { rig in
                let ledger = CompletionLedger<HTTPResponse>()
                let request = try rig.request(.get, "/shut")
                let calls = (0..<200).map { number in
                    let once = ledger.call("call \(number)")
                    return Task { await once.run { try await rig.transport.send(request) } }
                }
                try await rig.requests(count: 1)
                for call in calls { call.cancel() }
                for outcome in try await ledger.waitForAll() {
                    guard case .cancellation = outcome else {
                        throw ConformanceFailure("expected a cancellation, got \(outcome)")
                    }
                }
                try await expect(rig.send().status, is: .ok, "the status of the next request")
                try ledger.check()
            }
        },
        ConformanceCase("calls that complete and are cancelled at the same time end once") { subject in
            try await subject.serving(.text) { rig in
                let ledger = CompletionLedger<HTTPResponse>()
                let request = try rig.request()
                for round in 0..<40 {
                    let calls = (0..<5).map { number in
                        let once = ledger.call("call \(number) of round \(round)")
                        return Task { await once.run { try await rig.transport.send(request) } }
                    }
                    try await rig.requests(count: round + 1)
                    for call in calls { call.cancel() }
                    for outcome in try await ledger.waitForAll() {
                        if case .failure(let error) = outcome { throw error }
                    }
                }
                try await expect(rig.send().status, is: .ok, "the status of the next request")
                try ledger.check()
            }
        },
    ]
}

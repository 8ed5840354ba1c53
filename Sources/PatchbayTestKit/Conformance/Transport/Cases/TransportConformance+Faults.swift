import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    /// A case with a fault in the first response only.
    private static func hasFault(
        _ fault: Fault, _ name: String,
        _ check: @escaping @Sendable (ConformanceRig) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: [.faults]) { subject in
            try await subject.serving(.text, faults: { $0 == 0 ? fault : nil }) { rig in
                try await check(rig)
                try await expect(rig.send().body, is: Data("0123456789".utf8))
            }
        }
    }

    private static func fails(_ fault: Fault, _ codes: TransportError.Code...) -> ConformanceCase {
        hasFault(fault, "a response that is \(fault) is an error") { rig in
            // A method that is not idempotent, so the request is not retried.
            try await expectError(codes) { try await rig.send(.post, body: .text("x")) }
            try expect(rig.requests.count, is: 1, "the number of requests")
        }
    }

    /// Each ``Fault``, and many at random. Faults that end with a timeout are in ``deadlines``.
    static let faults: [ConformanceCase] = [
        fails(.reset(.beforeHead), .connectionLost),
        fails(.reset(.inHead), .connectionLost, .malformedResponse),
        fails(.reset(.inBody), .connectionLost, .truncated),
        fails(.close(.beforeHead), .connectionLost),
        fails(.close(.inHead), .connectionLost, .malformedResponse),
        fails(.close(.inBody), .truncated),
        hasFault(.overstatedLength, "a response shorter than its Content-Length is an error") { rig in
            try await expectError(.truncated) { try await rig.send() }
        },
        hasFault(.understatedLength, "a response longer than its Content-Length is cut off there") { rig in
            try await expect(rig.send().body, is: Data("01234".utf8))
        },
        hasFault(.latency(.milliseconds(50)), "a late response is accepted") { rig in
            let start = ContinuousClock.now
            try await expect(rig.send().body, is: Data("0123456789".utf8))
            try expect(ContinuousClock.now - start >= .milliseconds(50), "the response came before it was sent")
        },
        hasFault(.drip(size: 1, every: .milliseconds(5)), "a response sent byte by byte comes whole") { rig in
            try await expect(rig.send().body, is: Data("0123456789".utf8))
        },
        hasFault(.status(.serviceUnavailable), "a 503 is a response") { rig in
            let response = try await rig.send()
            try expect(response.status, is: .serviceUnavailable, "the status")
            try expect(response.body, is: Data())
        },
        ConformanceCase("an error in the body carries the head and at most 1 KiB", needs: [.faults]) { subject in
            let fields = try HTTPFields(["X-A": "b"])
            let service = ClosureService { $0.response(.created, fields: fields, body: .sample(10_000)) }
            try await subject.serving(service, faults: { _ in .close(.inBody) }) { rig in
                let error = try await expectError(.truncated) { try await rig.send() }
                try expect(error.head?.status, is: .created, "the status in the error")
                try expect(error.head?.fields["X-A"], is: "b", "the field in the error")
                try expect(error.bodyPrefix, is: .sample(10_000).prefix(1024))
            }
        },
        ConformanceCase("a hundred requests with random faults end as expected", needs: [.faults]) { subject in
            let faults = RandomFaults(seed: 2_026)
            try await subject.serving(.text, faults: { faults[$0] }) { rig in
                for number in 0..<100 {
                    let fault = faults[number]
                    do {
                        let status = try await rig.send(.post, body: .text("x")).status
                        let expected: HTTPStatus? =
                            switch fault {
                            case nil: .ok
                            case .status(let status): status
                            default: nil
                            }
                        try expect(status, is: expected, "request \(number) of \(faults): the status")
                    } catch let error as TransportError {
                        try expect(
                            [.connectionLost, .truncated].contains(error.code)
                                || (fault == .reset(.inHead) && error.code == .malformedResponse),
                            "request \(number) of \(faults) failed with \(error)")
                        try expect(fault != nil, "request \(number) of \(faults) failed without a fault")
                    }
                }
                try expect(rig.requests.count, is: 100, "the number of requests")
            }
        },
    ]
}

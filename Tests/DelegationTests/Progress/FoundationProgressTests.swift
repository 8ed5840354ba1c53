import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct FoundationProgressTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let event: TransferEvent
        let completed: Int64
        let total: Int64
        var testDescription: String { "\(event)" }
    }

    /// In this order.
    static let rows = [
        Row(event: .receivedBytes(3, total: nil), completed: 3, total: -1),
        Row(event: .receivedBytes(5, total: 10), completed: 5, total: 10),
        // One byte is left until the call is finished.
        Row(event: .receivedBytes(10, total: 10), completed: 9, total: 10),
        // A retry.
        Row(event: .receivedBytes(1, total: 4), completed: 1, total: 4),
        Row(event: .receivedBytes(0, total: 0), completed: 1, total: 4),
        Row(event: .sentBytes(7, total: 8), completed: 1, total: 4),
    ]

    @Test func `counts bytes, and is indeterminate while the total is unknown`() {
        let observer = FoundationProgress(delivery: .inline)
        #expect(observer.progress.isIndeterminate && observer.progress === observer.download)
        for row in Self.rows {
            observer.transfer(didEmit: row.event)
            #expect(observer.progress.completedUnitCount == row.completed, "\(row.event)")
            #expect(observer.progress.totalUnitCount == row.total, "\(row.event)")
            #expect(observer.progress.isIndeterminate == (row.total < 0) && !observer.progress.isFinished)
        }
        #expect(observer.upload.completedUnitCount == 7)
        observer.finish()
        #expect(observer.progress.isFinished && observer.progress.fractionCompleted == 1)
        #expect(observer.progress.totalUnitCount == 4)
    }

    @Test(arguments: [FoundationProgress.Scope.upload, .download, .both])
    func `finishes without any event, and with an unknown total`(scope: FoundationProgress.Scope) {
        for events in [[], [.sentBytes(3, total: nil), .receivedBytes(5, total: nil)]] as [[TransferEvent]] {
            let observer = FoundationProgress(scope, delivery: .inline)
            for event in events { observer.transfer(didEmit: event) }
            #expect(!observer.progress.isFinished)
            observer.finish()
            observer.finish()
            #expect(observer.progress.isFinished && observer.progress.fractionCompleted == 1)
        }
    }

    @Test func `both directions are halves, also with a retry, within a parent`() {
        let parent = Progress.discreteProgress(totalUnitCount: 10)
        let observer = FoundationProgress(.both, delivery: .inline)
        parent.addChild(observer.progress, withPendingUnitCount: 10)
        func fraction(_ event: TransferEvent) -> Double {
            observer.transfer(didEmit: event)
            #expect(abs(parent.fractionCompleted - observer.progress.fractionCompleted) < 1e-9)
            return observer.progress.fractionCompleted
        }
        #expect(fraction(.sentBytes(5, total: 10)) == 0.25)
        #expect(fraction(.sentBytes(10, total: 10)) == 0.45)
        #expect(fraction(.sentBytes(5, total: 10)) == 0.25)
        #expect(fraction(.receivedBytes(2, total: 4)) == 0.5)
        observer.finish()
        #expect(observer.progress.isFinished && parent.isFinished && parent.fractionCompleted == 1)
    }

    @Test func `does not become a child of the thread's current progress`() {
        let current = Progress.discreteProgress(totalUnitCount: 1)
        current.becomeCurrent(withPendingUnitCount: 1)
        let observer = FoundationProgress(.both, delivery: .inline)
        observer.finish()
        #expect(current.completedUnitCount == 0)
        current.resignCurrent()
    }

    @Test(arguments: [true, false]) func `cancelling the progress or its parent cancels the call once`(
        isParent: Bool
    ) async throws {
        let observer = FoundationProgress(.both, delivery: .inline)
        let parent = Progress.discreteProgress(totalUnitCount: 1)
        parent.addChild(observer.progress, withPendingUnitCount: 1)
        let count = Mutex(0)
        let gate = Gate()
        observer.onCancel {
            count.withLock { $0 += 1 }
            gate.open()
        }
        (isParent ? parent : observer.progress).cancel()
        observer.progress.cancel()
        try await gate.wait()
        #expect(count.withLock(\.self) == 1)
    }

    @Test func `a call that starts after the cancellation is cancelled at once`() async throws {
        let observer = FoundationProgress(delivery: .inline)
        let gate = Gate()
        observer.onCancel { gate.open() }
        observer.progress.cancel()
        try await gate.wait()
        let late = Log<String>()
        observer.onCancel { late.note("cancelled") }
        #expect(late.all == ["cancelled"])
    }

    @Test func `run completes the progress of a call that succeeds`() async throws {
        let observer = FoundationProgress(.both, delivery: .inline)
        let transport = FakeTransport { $0.response(body: Data(count: 5)) }
        let request = try HTTPRequest(.post, "http://host/", body: .text("abc"))
        _ = try await observer.run { try await transport.send(request, observer: $0) }
        #expect(observer.progress.isFinished)
        #expect(observer.upload.totalUnitCount == 3 && observer.download.totalUnitCount == 5)
    }

    @Test func `run cancels a call with the progress, and with the calling task`() async throws {
        for isTask in [true, false] {
            let observer = FoundationProgress(delivery: .inline)
            let (started, never) = (Gate(), Gate())
            let task = Task {
                try await observer.run { _ in
                    started.open()
                    try await never.wait()
                }
            }
            try await started.wait()
            if isTask { task.cancel() } else { observer.progress.cancel() }
            await #expect(throws: (any Error).self) { try await task.value }
            #expect(!observer.progress.isFinished)
        }
    }
}

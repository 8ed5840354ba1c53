import Delegation
import Foundation
import Transport

extension Harness {
    /// Measures progress callbacks, of which each should cost less than a microsecond.
    func progress() async throws -> [Figure] {
        let operations = count(200_000)
        let baseline = "the same callbacks, called directly"
        return [
            try await compare(
                "Progress by selectors: meter, bytes and fraction", operations: operations, against: baseline,
                subject: { try Self.checked(operations, Self.performed(operations)) },
                baseline: { try Self.checked(operations, Self.called(operations)) }),
            try await compare(
                "Progress in closures", operations: operations, against: baseline,
                subject: { try Self.checked(operations, Self.observed(operations)) },
                baseline: { try Self.checked(operations, Self.called(operations)) }),
            try await compare(
                "Progress in an asynchronous sequence, with a reader", operations: operations, against: baseline,
                subject: { try Self.checked(operations, await Self.read(operations)) },
                baseline: { try Self.checked(operations, Self.called(operations)) }),
            try await compare(
                "Progress in Foundation's Progress", operations: operations, against: baseline,
                subject: { try Self.checked(operations, Self.tracked(operations)) },
                baseline: { try Self.checked(operations, Self.called(operations)) }),
        ]
    }

    private static func checked(_ operations: Int, _ bytes: Int64) throws {
        guard bytes == Int64(operations) else { throw ProgressLost(expected: operations, received: bytes) }
    }

    private static func called(_ operations: Int) -> Int64 {
        let bar = ProgressBar()
        for count in 1...operations {
            bar.request(bar, didReceiveBytes: 1)
            bar.setProgress(Float(count) / Float(operations))
        }
        return bar.bytes
    }

    private static func performed(_ operations: Int) throws -> Int64 {
        let bar = ProgressBar()
        var meter = DownloadMeter(isAccurate: true)
        _ = meter.start() + meter.head(Int64(operations))
        for count in 1...Int64(operations) {
            for change in meter.received(count) {
                switch change {
                case .announce: break
                case .bytes(let delta):
                    try Selectors.perform("request:didReceiveBytes:", on: bar, with: [bar, delta])
                case .fraction(let fraction):
                    try Selectors.perform("setProgress:", on: bar, with: [Float(fraction)])
                }
            }
        }
        return bar.progress == 1 ? bar.bytes : 0
    }

    private static func observed(_ operations: Int) -> Int64 {
        let bar = UncheckedBar()
        let observer = ProgressObserver(delivery: .inline) { progress in
            // Not each event is told.
            bar.bar.request(bar.bar, didReceiveBytes: progress.completed - bar.bar.bytes)
            bar.bar.setProgress(Float(progress.fraction ?? 0))
        }
        for count in 1...Int64(operations) {
            observer.transfer(didEmit: .receivedBytes(count, total: Int64(operations)))
        }
        return bar.bar.bytes
    }

    private static func read(_ operations: Int) async -> Int64 {
        let feed = ProgressFeed()
        let updates = feed.updates
        let reader = Task {
            var last: Int64 = 0
            for await progress in updates { last = progress.completed }
            return last
        }
        for count in 1...Int64(operations) {
            feed.transfer(didEmit: .receivedBytes(count, total: Int64(operations)))
        }
        feed.finish()
        return await reader.value
    }

    private static func tracked(_ operations: Int) -> Int64 {
        let observer = FoundationProgress(delivery: .inline)
        for count in 1...Int64(operations) {
            observer.transfer(didEmit: .receivedBytes(count, total: Int64(operations)))
        }
        observer.finish()
        return observer.progress.completedUnitCount
    }
}

private struct ProgressLost: Error {
    let expected: Int
    let received: Int64
}

/// A progress delegate, as an app writes it.
private final class ProgressBar: SelectorTarget {
    static let selectors: SelectorTable = [
        .method("setProgress:", ProgressBar.setProgress),
        .method("request:didReceiveBytes:", ProgressBar.request(_:didReceiveBytes:)),
    ]

    private(set) var bytes: Int64 = 0
    private(set) var progress: Float = 0

    func request(_ request: AnyObject, didReceiveBytes bytes: Int64) { self.bytes += bytes }
    func setProgress(_ progress: Float) { self.progress = progress }
}

/// Unchecked, because the benchmark calls it on one thread.
private struct UncheckedBar: @unchecked Sendable {
    let bar = ProgressBar()
}

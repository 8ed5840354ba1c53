public import Testing

/// Runs a test in one of a few slots that all tests of the process share, and ends one that hangs.
///
/// Swift Testing starts every test at once. Those that use sockets, threads or child processes would then have
/// thousands of files and threads open, and each would take as long as all of them together.
///
/// A test that has a slot is ended once it has taken half an hour of the process's own time: a second counts only when
/// the process was given the time to notice it, so a busy machine ends nothing. The wait for a slot does not count.
///
/// A test that blocks what all tests share, such as every thread of the cooperative pool, needs all slots: two of that
/// kind at once could wait for each other.
public struct SlotTrait: SuiteTrait, TestTrait, TestScoping {
    private static let slots: Slots = {
        OpenFileLimit.raise()
        return Slots(8)
    }()
    // A suite and a test in it may both have the trait; the test needs one slot.
    @TaskLocal private static var hasSlot = false
    static let secondsUntilHung = 1800

    let needsAll: Bool

    /// True: each test and each of its cases needs a slot of its own.
    public let isRecursive = true

    /// The trait itself for what runs code, and nil for a suite.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    /// Waits for a slot and runs the test.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let isDoneByOther = !needsAll && test.traits.contains { ($0 as? SlotTrait)?.needsAll ?? false }
        guard !Self.hasSlot, !isDoneByOther else { return try await function() }
        let run = {
            try await Self.$hasSlot.withValue(true) {
                try await Self.endingWhenHung(afterSeconds: Self.secondsUntilHung, function)
            }
        }
        if needsAll { try await Self.slots.withAllSlots(run) } else { try await Self.slots.withSlot(run) }
    }

    /// Runs something, and records an issue and cancels it when it has not ended after so many seconds.
    static func endingWhenHung(
        afterSeconds seconds: Int, _ function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withoutActuallyEscaping(function) { function in
            try await withThrowingTaskGroup { group in
                group.addTask(operation: function)
                group.addTask {
                    for _ in 0..<seconds { try await Task.sleep(for: .seconds(1)) }
                    Issue.record("The test hangs: it has not ended after \(seconds) seconds.")
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }
}

extension Trait where Self == SlotTrait {
    /// Needs a slot: for tests that use sockets, threads or child processes, or wait for another task.
    public static var needsSlot: Self { SlotTrait(needsAll: false) }

    /// Needs all slots: for tests that block what the process has once, such as the cooperative pool's threads or
    /// Foundation's network queue.
    public static var needsAllSlots: Self { SlotTrait(needsAll: true) }
}

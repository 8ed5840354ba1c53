import Foundation
public import Testing

/// A trait that limits the number of concurrent tests and ends hanging ones.
///
/// Swift Testing starts all tests at once. Without a limit, those that use sockets, threads or child processes would
/// have thousands of files and threads open.
///
/// A test is cancelled 300 seconds after it got its slot, or after `PATCHBAY_TEST_SECONDS`. They are counted by
/// one-second sleeps, so seconds in which the process did not run do not count. One that waits on, although it is
/// cancelled, ends the process after another minute: no run lasts for ever.
///
/// A test that blocks a shared resource, such as all threads of the cooperative pool, needs all slots: two of them at
/// once could deadlock.
public struct SlotTrait: SuiteTrait, TestTrait, TestScoping {
    private static let slots: Slots = {
        OpenFileLimit.raise()
        return Slots(8)
    }()
    // A suite and a test in it may both have the trait; the test needs one slot.
    @TaskLocal private static var hasSlot = false
    static let secondsUntilHung = seconds(of: ProcessInfo.processInfo.environment["PATCHBAY_TEST_SECONDS"])

    let needsAll: Bool

    /// True: each test case needs its own slot.
    public let isRecursive = true

    /// The trait itself for a test case, and nil for a suite.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    /// Waits for a slot, then runs the test.
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

    /// The timeout that a value of `PATCHBAY_TEST_SECONDS` sets; 300 seconds if it is not a number above 0.
    static func seconds(of text: String?) -> Int {
        text.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 300
    }

    /// Runs `function`; records an issue and cancels it after a timeout in seconds.
    /// - Parameter grace: seconds after which the process ends, if `function` has not.
    static func endingWhenHung(
        afterSeconds seconds: Int, grace: Int = 60, _ function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withoutActuallyEscaping(function) { function in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await function()
                    return false
                }
                group.addTask {
                    for _ in 0..<seconds { try await Task.sleep(for: .seconds(1)) }
                    Issue.record("Test timed out after \(seconds) seconds.")
                    return true
                }
                defer { group.cancelAll() }
                guard try await group.next() == true else { return }
                group.cancelAll()
                let name = Test.current?.name ?? "a test"
                let end = Task {
                    try await Task.sleep(for: .seconds(grace))
                    fatalError("Hanging, although cancelled: \(name)")
                }
                defer { end.cancel() }
                while await group.nextResult() != nil {}
            }
        }
    }
}

extension Trait where Self == SlotTrait {
    /// Needs a slot: for tests that use sockets, threads or child processes, or wait for another task.
    public static var needsSlot: Self { SlotTrait(needsAll: false) }

    /// Needs all slots: for tests that block a resource of the whole process, such as the cooperative pool's threads or
    /// Foundation's network queue.
    public static var needsAllSlots: Self { SlotTrait(needsAll: true) }
}

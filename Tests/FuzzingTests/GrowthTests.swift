import Foundation
import TestSupport
import Testing

/// A server cannot keep a thread busy with a short input: the time of a parser grows as its input does.
@Suite(.needsSlot) struct GrowthTests {
    /// Patterns of each parser; `PATCHBAY_PATTERNS` sets another number, and `PATCHBAY_PATTERN_SEED` draws others.
    private static let count = ProcessInfo.processInfo.environment["PATCHBAY_PATTERNS"].flatMap(Int.init) ?? 8
    private static let seed = ProcessInfo.processInfo.environment["PATCHBAY_PATTERN_SEED"].flatMap(UInt64.init) ?? 1

    /// The parts of the long input for each of the short one.
    ///
    /// One less is divisible by 2, 3, 4 and 6: where only each second part opens something, both inputs end in the same
    /// state, so that a parser reads both to the same place.
    private static let factor = 13

    /// The processor time of the thread, since the machine may be busy.
    private static func time(_ body: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        try body()
        return now() - start
    }

    /// Records an issue if the time grows faster than the input.
    private static func measure(_ target: FuzzTarget, _ pattern: GrowthInputs.Pattern, _ name: String) throws {
        let (short, long) = (pattern.input(ofSize: 1_300), pattern.input(ofSize: 1_300, times: factor))
        _ = try time { try target.check(short) }
        let (small, large) = (try time { try target.check(short) }, try time { try target.check(long) })
        // As much longer as the input is; in quadratic time 169 times.
        guard large > 0.02, large > small * 40 else { return }
        // A page fault or an interrupt: the least of three.
        let again = try (0..<3).map { _ in try time { try target.check(long) } }.min() ?? large
        let least = try (0..<3).map { _ in try time { try target.check(short) } }.min() ?? small
        if again > least * 40 {
            Issue.record(
                "\(name): \(least * 1000) ms for \(short.count) bytes, \(again * 1000) ms for \(long.count): \(pattern)"
            )
        }
    }

    @Test(arguments: FuzzTarget.all) func `the time of a parser grows as its input does`(target: FuzzTarget) throws {
        var inputs = GrowthInputs(target, seed: Self.seed)
        for number in 0..<Self.count { try Self.measure(target, inputs.next(), "pattern \(number)") }
    }

    /// Names, casts and classes of an app's source that took quadratic time, or a stack frame each.
    @Test(arguments: [
        ["let a = ", "_", "", "\n"], ["", "import SDMConnectivity\n", "", ""], ["a = ", "[(", "A) x y]", ";"],
        ["", "class A:WLClient{}\nf()\n", "", ""],
    ])
    func `the time of the scanner of sources grows as the source does`(texts: [String]) throws {
        let parts = texts.map { Array($0.utf8) }
        let pattern = GrowthInputs.Pattern(start: parts[0], part: parts[1], close: parts[2], end: parts[3])
        try Self.measure(#require(FuzzTarget.all.first { $0.name == "sources" }), pattern, "sources")
    }
}

import PatchbayTestKit
import Testing

@testable import Coordination

@Suite struct ExclusiveQueueTests {
    /// The results of some steps: `+1:ab` adds call 1 for the keys a and b, `?1:ab` one that must not wait, `-1`
    /// releases a call, `x1` cancels it.
    private func outcome(_ steps: String) -> String {
        var queue = ExclusiveQueue<Character, UInt64>()
        var results: [String] = []
        for step in steps.split(separator: " ") {
            let parts = step.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
            let id = parts.first.flatMap { UInt64($0) } ?? 0
            switch step.first {
            case "-": results.append("\(queue.release(id))")
            case "x": results.append(queue.cancel(id).map { "cancelled \($0.cancelled) \($0.started)" } ?? "none")
            default:
                let mayWait = step.first == "+"
                let holds = queue.add(id, Set(parts.last ?? ""), mayWait ? id : nil)
                results.append(holds ? "holds" : mayWait ? "waits" : "refused")
            }
        }
        return results.joined(separator: ", ")
    }

    @Test(arguments: [
        ("+1:a +2:b +3:", "holds, holds, holds"),
        ("+1:a +2:a +3:a -1 -2 -3 +4:a", "holds, waits, waits, [2], [3], [], holds"),
        // All keys at once, and no later call before them.
        ("+1:a +2:ab +3:b +4:c -1 -2", "holds, waits, waits, holds, [2], [3]"),
        ("+1:ab +2:a +3:b +4:ab -1 -3 -2", "holds, waits, waits, waits, [2, 3], [], [4]"),
        ("+1:a +2:b +3:ab -2 -1", "holds, holds, waits, [], [3]"),
        ("+1:a ?2:a ?3:b +4:ab ?5:b -3", "holds, refused, holds, waits, refused, []"),
        ("+1:a +2:ab +3:b x2 x2", "holds, waits, waits, cancelled 2 [3], none"),
        ("+1:a +2:a +3:a x2 -1", "holds, waits, waits, cancelled 2 [], [3]"),
        ("+1:a x1 x7 +2:a", "holds, none, none, waits"),
    ])
    func `the state machine`(_ steps: String, _ expected: String) { #expect(outcome(steps) == expected) }

    @Test func `all calls hold their keys once, never two of them the same one, and the oldest first`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<50 {
            var queue = ExclusiveQueue<Int, UInt64>()
            var (keys, holding, done): ([UInt64: Set<Int>], [UInt64], [UInt64]) = ([:], [], [])
            while done.count < 30 {
                if keys.count < 30, Bool.random(using: &random) {
                    let id = queue.makeID()
                    let own = Set((0..<3).map { _ in Int.random(in: 0..<5, using: &random) })
                    keys[id] = own
                    if queue.add(id, own, id) { holding.append(id) }
                } else if let id = holding.randomElement(using: &random) {
                    holding.removeAll { $0 == id }
                    done.append(id)
                    let started = queue.release(id)
                    #expect(started == started.sorted())
                    holding += started
                } else {
                    // Nothing holds keys, so nothing waits.
                    #expect(queue.waiterCount == 0)
                }
                let held = holding.flatMap { keys[$0] ?? [] }
                #expect(held.count == Set(held).count)
            }
            #expect(Set(done).count == 30)
            for (id, own) in keys {
                let earlier = done.prefix { $0 != id }
                for other in 1..<id where keys[other]?.isDisjoint(with: own) == false {
                    #expect(earlier.contains(other))
                }
            }
        }
    }
}

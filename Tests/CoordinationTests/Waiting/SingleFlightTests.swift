import PatchbayTestKit
import Testing

@testable import Coordination

@Suite struct SingleFlightTests {
    @Test func `equal keys share a flight`() {
        var flights = SingleFlight<String, String>()
        let ids = (0..<3).map { _ in flights.makeID() }
        let first = flights.join("a", id: ids[0], for: "x")
        let second = flights.join("b", id: ids[1], for: "x")
        let third = flights.join("c", id: ids[2], for: "y")
        #expect(first.isNew && !second.isNew && third.isNew)
        #expect(second.flight == first.flight && third.flight != first.flight && flights.count == 2)
        #expect(Set(flights.finish(first.flight)) == ["a", "b"])
        #expect(flights.finish(first.flight).isEmpty && !flights.isInFlight(first.flight))
        #expect(flights.cancel(ids[0])?.waiter == nil)
        #expect(flights.join("d", id: flights.makeID(), for: "x").isNew)
    }

    @Test func `cancelling the last waiter ends the flight`() {
        var flights = SingleFlight<String, String>()
        let ids = (0..<2).map { _ in flights.makeID() }
        let flight = flights.join("a", id: ids[0], for: "x").flight
        _ = flights.join("b", id: ids[1], for: "x")
        let first = flights.cancel(ids[0])
        #expect(first?.waiter == "a" && first?.abandonedFlight == nil && flights.cancel(ids[0])?.waiter == nil)
        let second = flights.cancel(ids[1])
        #expect(second?.waiter == "b" && second?.abandonedFlight == flight && flights.count == 0)
        #expect(flights.finish(flight).isEmpty)
    }

    @Test func `a detached flight completes for its waiters, and is not joined`() {
        var flights = SingleFlight<String, String>()
        let ids = (0..<2).map { _ in flights.makeID() }
        let first = flights.join("a", id: ids[0], for: "x").flight
        #expect(flights.detach("x") == nil && flights.detach("x") == nil && flights.flight(of: "x") == nil)
        #expect(flights.isInFlight(first) && flights.isAwaited(first))
        let second = flights.join("b", id: ids[1], for: "x")
        #expect(second.isNew && second.flight != first)
        #expect(flights.finish(first) == ["a"] && flights.flight(of: "x") == second.flight)
        // Without waiters it is abandoned, at once or with the last one.
        #expect(flights.detach("x") == nil && flights.cancel(ids[1])?.abandonedFlight == second.flight)
        let third = flights.begin("x")
        #expect(flights.detach("x") == third && !flights.isInFlight(third))
    }

    @Test func `an unawaited flight goes on for later calls if it is kept`() {
        var flights = SingleFlight<String, String>(keepsUnawaited: true)
        let ids = (0..<3).map { _ in flights.makeID() }
        let flight = flights.join("a", id: ids[0], for: "x").flight
        #expect(flights.cancel(ids[0])?.abandonedFlight == nil)
        #expect(flights.isInFlight(flight) && !flights.isAwaited(flight))
        #expect(flights.join("b", id: ids[1], for: "x") == .init(flight: flight, isNew: false))
        #expect(flights.takeWaiters(of: flight) == ["b"] && flights.cancel(ids[1]) == nil && flights.waiterCount == 0)
        #expect(flights.join("c", id: ids[2], for: "x").flight == flight)
        #expect(flights.detach("x") == nil && flights.cancel(ids[2])?.abandonedFlight == flight && flights.count == 0)
    }

    @Test func `a kept flight can be one that ends with its last waiter for a while`() {
        var flights = SingleFlight<String, String>(keepsUnawaited: true)
        let ids = (0..<3).map { _ in flights.makeID() }
        let flight = flights.join("a", id: ids[0], for: "x").flight
        #expect(!flights.setKeepsUnawaited(false, for: flight) && flights.cancel(ids[0])?.abandonedFlight == flight)
        let second = flights.join("b", id: ids[1], for: "x").flight
        #expect(!flights.setKeepsUnawaited(false, for: second) && !flights.setKeepsUnawaited(true, for: second))
        #expect(flights.cancel(ids[1])?.abandonedFlight == nil && flights.isInFlight(second))
        #expect(flights.setKeepsUnawaited(false, for: second) && !flights.isInFlight(second))
        #expect(!flights.setKeepsUnawaited(true, for: second) && flights.join("c", id: ids[2], for: "x").isNew)
    }

    @Test func `the waiters of a flight are in their order`() {
        var flights = SingleFlight<String, UInt64>()
        let ids = (0..<50).map { _ in flights.makeID() }
        var generator = SeededGenerator(seed: 1)
        for id in ids.shuffled(using: &generator) { _ = flights.join(id, id: id, for: "x") }
        #expect(flights.flight(of: "x").map { flights.finish($0) } == ids)
    }

    @Test func `each waiter leaves exactly once`() {
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var flights = SingleFlight<Int, UInt64>()
            var (aboard, gone, under): (Set<UInt64>, [UInt64], Set<UInt64>) = ([], [], [])
            for _ in 0..<200 {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0, 1:
                    let id = flights.makeID()
                    under.insert(flights.join(id, id: id, for: Int.random(in: 0..<3, using: &generator)).flight)
                    aboard.insert(id)
                case 2:
                    guard let id = aboard.sorted().randomElement(using: &generator), let left = flights.cancel(id)
                    else { break }
                    gone.append(left.waiter)
                    if let flight = left.abandonedFlight { under.remove(flight) }
                default:
                    guard let flight = under.sorted().randomElement(using: &generator) else { break }
                    under.remove(flight)
                    gone += flights.finish(flight)
                }
                aboard.subtract(gone)
                #expect(flights.count == under.count && Set(gone).count == gone.count)
            }
            for flight in under { gone += flights.finish(flight) }
            #expect(aboard.isSubset(of: gone) && flights.count == 0)
        }
    }
}

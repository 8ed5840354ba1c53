import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct ProgressGroupTests {
    @Test func `13: weights, groups within groups, and ends`() {
        var tree = ProgressTree()
        let photos = tree.add(to: 0, weight: 3, isCall: false)
        let order = tree.add(to: 0, weight: 1, isCall: true)
        let (one, two) = (tree.add(to: photos, weight: 1, isCall: true), tree.add(to: photos, weight: 1, isCall: true))
        #expect(tree.progress(of: 0).fraction == 0 && tree.progress(of: 0).totalBytes == nil)
        tree.finished(order)
        #expect(tree.progress(of: 0).fraction == 0.25)
        tree.transferred(one, TransferProgress(.download, completed: 50, total: 100))
        tree.transferred(one, TransferProgress(.upload, completed: 100, total: 100))
        #expect(tree.progress(of: photos).fraction == 0.375)
        #expect(tree.progress(of: 0).fraction == 0.25 + 0.75 * 0.375)
        tree.transferred(two, TransferProgress(.download, completed: 10, total: nil))
        #expect(tree.progress(of: 0).bytes == 160 && tree.progress(of: 0).totalBytes == nil)
        tree.finished(one)
        tree.finished(two)
        let end = tree.progress(of: 0)
        #expect(end.fraction == 1 && end.totalBytes == 160 && end.finishedCount == 3 && end.count == 3)
        #expect(tree.progress(of: photos).count == 2)
    }

    @Test func `13: an empty group has done nothing, and a weight that is no number counts nothing`() {
        var tree = ProgressTree()
        #expect(tree.progress(of: 0).fraction == 0 && tree.progress(of: 0).totalBytes == 0)
        tree.finished(tree.add(to: 0, weight: .nan, isCall: true))
        tree.finished(tree.add(to: 0, weight: -1, isCall: true))
        #expect(tree.progress(of: 0).fraction == 0 && tree.progress(of: 0).finishedCount == 2)
    }

    @Test func `13: lengths that are too large for a sum are unknown`() {
        var tree = ProgressTree()
        let (one, two) = (tree.add(to: 0, weight: 1, isCall: true), tree.add(to: 0, weight: 1, isCall: true))
        tree.transferred(one, TransferProgress(.upload, completed: 5, total: 5))
        #expect(tree.progress(of: 0).bytes == 5)
        tree.transferred(one, TransferProgress(.download, completed: 1, total: .max))
        tree.transferred(two, TransferProgress(.download, completed: 7, total: .max))
        #expect(tree.progress(of: 0).totalBytes == nil && tree.progress(of: 0).bytes == 13)
        tree.finished(one)
        #expect(tree.progress(of: 0).totalBytes == nil)
        tree.finished(two)
        #expect(tree.progress(of: 0).totalBytes == 13 && tree.progress(of: 0).fraction == 1)
    }

    @Test func `13: calls that have ended and groups that are released take no memory`() async throws {
        var tree = ProgressTree()
        for _ in 0..<1000 {
            let group = tree.add(to: 0, weight: 0.1, isCall: false)
            let call = tree.add(to: group, weight: 0.7, isCall: true)
            tree.transferred(call, TransferProgress(.download, completed: 1, total: 3))
            tree.finished(call)
            tree.remove(group)
            // Events that come late.
            tree.transferred(call, TransferProgress(.download, completed: 2, total: 3))
        }
        #expect(tree.count == 1)
        #expect(tree.progress(of: 0).fraction == 1 && tree.progress(of: 0).bytes == 1000)
        let sync = ProgressGroup()
        var changes: AsyncStream<GroupProgress>?
        do {
            let photos = sync.group().group()
            changes = photos.changes
            await photos.run { $0.transfer(didEmit: .receivedBytes(2, total: 2)) }
        }
        // Its reader keeps it.
        for await progress in try #require(changes) {
            #expect(progress.fraction == 1 && progress.bytes == 2)
            break
        }
        changes = nil
        #expect(sync.progress.fraction == 1 && sync.progress.count == 1)
    }

    /// A call or a group, whose progress is computed from all others within.
    private struct Reference {
        var parent: Int?
        var weight: Double
        var isCall = false
        var isFinished = false
        var completed: Int64 = 0
        var total: Int64?

        func fraction(of id: Int, in all: [Reference]) -> Double {
            if isFinished { return 1 }
            guard !isCall else { return total.map { Double(completed) / Double($0) } ?? 0 }
            let within = all.indices.filter { all[$0].parent == id }
            let weight = within.reduce(0) { $0 + all[$1].weight }
            return weight > 0
                ? within.reduce(0) { $0 + all[$1].weight * all[$1].fraction(of: $1, in: all) } / weight : 0
        }
    }

    @Test(arguments: 0..<20) func `13: the sums are those of all calls`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var tree = ProgressTree()
        var all = [Reference(weight: 1)]
        for _ in 0..<300 {
            let id = Int.random(in: 0..<all.count, using: &random)
            if !all[id].isCall {
                let (weight, isCall) = (Double.random(in: 0...3, using: &random), Bool.random(using: &random))
                #expect(tree.add(to: id, weight: weight, isCall: isCall) == all.count)
                all.append(Reference(parent: id, weight: weight, isCall: isCall))
            } else if Bool.random(using: &random) {
                tree.finished(id)
                all[id].isFinished = true
            } else if !all[id].isFinished {
                let total = Int64.random(in: 1...1000, using: &random)
                all[id].total = Bool.random(using: &random) ? total : nil
                all[id].completed = Int64.random(in: 0...total, using: &random)
                tree.transferred(
                    id, TransferProgress(.download, completed: all[id].completed, total: all[id].total))
            }
            let calls = all.filter(\.isCall)
            let progress = tree.progress(of: 0)
            #expect(abs(progress.fraction - all[0].fraction(of: 0, in: all)) < 1e-9)
            #expect(progress.bytes == calls.reduce(0) { $0 + $1.completed } && progress.count == calls.count)
            #expect((progress.totalBytes == nil) == calls.contains { !$0.isFinished && $0.total == nil })
        }
    }

    @Test func `13: the rate is that of the last seconds, and tells the time left`() {
        var rate = TransferRate()
        rate.add(0, at: .zero)
        #expect(rate.bytesPerSecond(at: .zero) == nil)
        rate.add(100, at: .seconds(1))
        #expect(rate.bytesPerSecond(at: .seconds(1)) == 100)
        rate.add(100, at: .seconds(2))
        #expect(rate.bytesPerSecond(at: .seconds(4)) == 25)
        for second in 3...20 { rate.add(Int64(100 + second * 10), at: .seconds(second)) }
        #expect(rate.bytesPerSecond(at: .seconds(20)) == 10)
        // A retry starts over.
        rate.add(0, at: .seconds(21))
        #expect(rate.bytesPerSecond(at: .seconds(21)) == nil)
        var progress = GroupProgress(fraction: 0, bytes: 100, totalBytes: 300, finishedCount: 0, count: 1)
        #expect(progress.timeLeft == nil)
        progress.bytesPerSecond = 10
        #expect(progress.timeLeft == .seconds(20))
    }

    @Test func `13: calls of a group report their bytes and their end`() async throws {
        let clock = ManualClock()
        let sync = ProgressGroup(clock: clock)
        var changes = sync.changes.makeAsyncIterator()
        #expect(await changes.next()?.count == 0)
        let transport = FakeTransport { $0.response(body: Data(count: 700)) }
        let request = try HTTPRequest(.post, "http://example.com/", body: .bytes(Data(count: 300)))
        let photos = sync.group(weight: 3)
        let response = try await photos.run { try await transport.send(request, observer: $0) }
        #expect(response.body.count == 700)
        #expect(sync.progress.fraction == 1 && sync.progress.bytes == 1000 && photos.progress.totalBytes == 1000)
        #expect(await changes.next()?.finishedCount == 1)
        await #expect(throws: TransportError.self) {
            try await sync.run { observer in
                observer.transfer(didEmit: .receivedBytes(10, total: 20))
                #expect(sync.progress.fraction == 0.875)
                throw TransportError(.connectionLost, "m")
            }
        }
        #expect(sync.progress.fraction == 1 && sync.progress.finishedCount == 2)
    }

    @Test func `13: the last change is that of all calls, also if they end at the same time`() async {
        for _ in 0..<5000 {
            let group = ProgressGroup()
            let changes = group.changes
            await withTaskGroup(of: Void.self) { tasks in
                for _ in 0..<4 { tasks.addTask { await group.run { _ in } } }
            }
            var reader = changes.makeAsyncIterator()
            guard await reader.next()?.finishedCount == 4 else {
                return #expect(Bool(false), "an old value is the last")
            }
        }
    }

    @Test func `13: the time left is a time that can be shown`() {
        let progress = GroupProgress(
            fraction: 0, bytes: 0, totalBytes: .max, finishedCount: 0, count: 1, bytesPerSecond: 0.2)
        #expect(progress.timeLeft.map { $0.components.seconds < 1 << 40 } == true)
    }

    @Test func `13: a group that had nothing to do is whole when it is released`() async {
        let sync = ProgressGroup()
        do {
            let photos = sync.group(weight: 3)
            await sync.run { _ in }
            #expect(sync.progress.fraction == 0.25)
            withExtendedLifetime(photos) {}
        }
        #expect(sync.progress.fraction == 1 && sync.progress.count == 1)
    }
}

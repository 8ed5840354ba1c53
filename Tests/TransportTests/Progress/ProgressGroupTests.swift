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
}

import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct ProgressFeedTests {
    private func download(_ completed: Int64) -> TransferProgress {
        TransferProgress(.download, completed: completed, total: 9)
    }
    private func upload(_ completed: Int64) -> TransferProgress {
        TransferProgress(.upload, completed: completed, total: 9)
    }

    @Test func `a slow reader gets the newest value of each direction, then the end`() async {
        let feed = ProgressFeed()
        let updates = feed.updates
        for progress in [upload(1), upload(9), download(1), download(5), download(9)] { feed.report(progress) }
        feed.finish()
        feed.report(download(3))
        var values: [TransferProgress] = []
        for await progress in updates { values.append(progress) }
        #expect(values == [upload(9), download(9)])
    }

    @Test func `a reader that keeps up gets each value`() async {
        let feed = ProgressFeed()
        let updates = feed.updates
        let (reads, didRead) = AsyncStream.makeStream(of: Void.self)
        let reader = Task {
            var values: [TransferProgress] = []
            for await progress in updates {
                values.append(progress)
                didRead.yield()
            }
            return values
        }
        var iterator = reads.makeAsyncIterator()
        for count in 1...3 as ClosedRange<Int64> {
            feed.report(download(count))
            await iterator.next()
        }
        feed.finish()
        #expect(await reader.value == [download(1), download(2), download(3)])
    }

    @Test func `each reader has its own values, and a late one starts with the newest`() async {
        let feed = ProgressFeed()
        feed.report(upload(9))
        feed.report(download(2))
        var (first, second) = (feed.updates.makeAsyncIterator(), feed.updates.makeAsyncIterator())
        #expect(await first.next() == upload(9))
        #expect(await second.next() == upload(9))
        #expect(await second.next() == download(2))
        feed.finish()
        #expect(await first.next() == download(2))
        #expect(await first.next() == nil)
        #expect(await second.next() == nil)
        var late = feed.updates.makeAsyncIterator()
        #expect(await late.next() == upload(9))
        #expect(await late.next() == download(2))
        #expect(await late.next() == nil)
    }

    @Test func `a reader that joins while progress is reported does not miss it`() async {
        for _ in 0..<500 {
            let feed = ProgressFeed()
            let readers = Mutex<[ProgressUpdates]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                if number == 0 {
                    feed.report(download(9))
                } else {
                    let updates = feed.updates
                    readers.withLock { $0.append(updates) }
                }
            }
            feed.finish()
            var values: [TransferProgress] = []
            for updates in readers.withLock(\.self) { for await progress in updates { values.append(progress) } }
            #expect(values == [download(9)])
        }
    }

    @Test func `after the end, progress is neither reported nor kept for later readers`() async {
        let feed = ProgressFeed()
        feed.report(download(1))
        feed.finish()
        feed.report(download(2))
        var late = feed.updates.makeAsyncIterator()
        #expect(await late.next() == download(1))
        #expect(await late.next() == nil)
    }

    @Test func `S46, releasing the feed ends its readers`() async {
        var feed: ProgressFeed? = ProgressFeed()
        var reader = feed?.updates.makeAsyncIterator()
        feed = nil
        #expect(await reader?.next() == nil)
    }

    @Test func `cancelling the reading task ends its sequence only`() async {
        let feed = ProgressFeed()
        let updates = feed.updates
        let reader = Task { await updates.first { _ in false } }
        reader.cancel()
        #expect(await reader.value == nil)
        var other = feed.updates.makeAsyncIterator()
        feed.report(download(1))
        #expect(await other.next() == download(1))
    }

    @Test func `a call over a transport feeds its readers`() async throws {
        let feed = ProgressFeed()
        let updates = feed.updates
        let transport = FakeTransport { $0.response(body: Data(count: 5)) }
        _ = try await transport.send(HTTPRequest(.post, "http://host/", body: .text("abc")), observer: feed)
        feed.finish()
        var counts: [Int64] = []
        for await progress in updates { counts.append(progress.completed) }
        #expect(counts == [3, 5])
    }
}

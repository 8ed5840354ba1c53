import Delegation
import Foundation
import PatchbayTestKit
import Testing
import Transport

@testable import SDMConnectivity

@Suite struct QueueProgressTests {
    private let request = SDMSession.test(ScriptedTransport { $0.response() }).get(URL(string: "http://example.com/"))
    private let delegate = ProgressLog()

    private func target(_ object: AnyObject) throws -> QueueProgress.Target {
        try #require(QueueProgress.Target(WeakTarget(object)))
    }

    @Test func `S33: chunks that no delegate has taken yet are joined`() throws {
        var progress = QueueProgress()
        let target = try target(delegate)
        var isDue = [progress.add([.announce(1000)], .download, of: request, for: target)]
        for count in 1...1000 {
            let changes: [ProgressChange] = [.bytes(1), .fraction(Double(count) / 1000)]
            isDue.append(progress.add(changes, .download, of: request, for: target))
        }
        #expect(isDue == [true] + Array(repeating: false, count: 1000))
        let reports = progress.take()
        #expect(reports.map(\.changes) == [[.announce(1000), .bytes(1000)], [.fraction(1)]])
        #expect(reports.allSatisfy { $0.request === request && $0.direction == .download })
        let rest = progress.take()
        let isDueAgain = progress.add([.bytes(-1000)], .download, of: request, for: target)
        #expect(rest.isEmpty && isDueAgain)
    }

    @Test func `S33: the fraction that is delivered last is the newest of all requests`() throws {
        var progress = QueueProgress()
        let (target, other) = (try target(delegate), request.session.get(nil))
        for added in [request, other] { _ = progress.add([.announce(4)], .upload, of: added, for: target) }
        for (added, count) in [(request, 1), (other, 2), (request, 3)] as [(SDMHttpRequest, Int64)] {
            _ = progress.add([.bytes(count)], .upload, of: added, for: target)
        }
        let reports = progress.take()
        #expect(reports.map(\.changes) == [[.announce(4), .bytes(4)], [.announce(4), .bytes(2)], [.fraction(0.75)]])
        #expect(reports[1].request === other)
    }

    @Test func `S33: bytes that a retry takes back stay apart, and another delegate gets only what follows`() throws {
        var progress = QueueProgress()
        let next = ProgressLog()
        let changes: [[ProgressChange]] = [[.announce(8)], [.bytes(4)], [.bytes(-4)], [.bytes(3)]]
        for change in changes { _ = progress.add(change, .download, of: request, for: try target(delegate)) }
        _ = progress.add([.bytes(5)], .download, of: request, for: try target(next))
        let reports = progress.take()
        #expect(
            reports.map(\.changes) == [[.announce(8), .bytes(4), .bytes(-4), .bytes(3)], [.bytes(5)], [.fraction(1)]])
        #expect(reports.map { $0.target.object === next } == [false, true, true])
    }

    @Test func `S33: without a delegate nothing is kept, but all is counted`() throws {
        var progress = QueueProgress()
        let isDue = progress.add([.announce(4), .bytes(2)], .download, of: request, for: nil)
        let reports = progress.take()
        #expect(!isDue && reports.isEmpty && QueueProgress.Target(WeakTarget(nil)) == nil)
        _ = progress.add([.bytes(1)], .download, of: request, for: try target(delegate))
        let later = progress.take()
        #expect(later.map(\.changes) == [[.bytes(1)], [.fraction(0.75)]])
    }
}

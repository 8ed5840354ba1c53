import HTTPMessages
import Testing

@testable import Delegation

@Suite struct QueueMeterTests {
    @Test func `S33, simple progress counts requests`() {
        var queue = QueueMeter()
        var requests = (0..<4).map { _ in DownloadMeter(isAccurate: false) }
        for index in requests.indices { #expect(queue.add(requests[index].expect(nil)) == []) }
        #expect(queue.total == 4)
        let fractions = requests.indices.flatMap { index in
            [
                requests[index].start(), requests[index].head(130_050), requests[index].received(130_050),
                requests[index].finish(),
            ].flatMap { queue.add($0) }
        }
        #expect(fractions == [.fraction(0.25), .fraction(0.5), .fraction(0.75), .fraction(1)])
    }

    @Test func `S33, later additions grow the total, and the fraction ends at exactly 1`() {
        var queue = QueueMeter()
        var fractions: [ProgressChange] = []
        for index in 0..<10 {
            var request = DownloadMeter(isAccurate: true)
            for changes in [request.start(), request.head(130_050), request.received(65_025)] {
                fractions += queue.add(changes)
            }
            #expect(queue.total == 130_050 * (Int64(index) + 1))
            fractions += queue.add(request.finish())
        }
        #expect(queue.total == 1_300_500 && queue.completed == 1_300_500)
        #expect(fractions.first == .fraction(0.5) && fractions.last == .fraction(1))
        // Each addition sets it back, then it grows again.
        #expect(fractions.count == 20 && fractions[2] == .fraction(0.75))
    }

    @Test func `S33, lengths from HEAD make the total known before the first byte`() {
        var queue = QueueMeter()
        var requests = [DownloadMeter(isAccurate: true), DownloadMeter(isAccurate: true)]
        _ = queue.add(requests[0].expect(300, acceptsGzip: true))
        _ = queue.add(requests[1].expect(20, acceptsGzip: true))
        #expect(queue.total == 301)
        for index in requests.indices {
            _ = queue.add(requests[index].start())
            _ = queue.add(requests[index].head(300))
            _ = queue.add(requests[index].received(300))
        }
        #expect(queue.completed == 300)
        #expect(queue.add(requests[1].finish()) == [.fraction(1)])
    }

    @Test func `a retry takes the progress of one request back`() {
        var queue = QueueMeter()
        var request = UploadMeter(isAccurate: true)
        for changes in [request.expect(100), request.start(100), request.sent(20), request.sent(60)] {
            _ = queue.add(changes)
        }
        #expect(queue.completed == 40 && queue.total == 80)
        #expect(queue.add(request.start(100)) == [.fraction(0)])
        _ = queue.add(request.sent(100))
        #expect(queue.completed == 80)
    }

    @Test func `impossible totals do not trap`() {
        var queue = QueueMeter()
        #expect(queue.add([.announce(.max), .announce(.max), .bytes(5)]) == [])
        #expect(queue.add([.announce(-.max), .bytes(5)]) != [])
        #expect(queue.total == .max)
    }

    @Test(arguments: [
        (HTTPMethod.get, true, true, true), (.get, true, false, false), (.get, false, true, false),
        (.post, true, true, false), (.head, true, true, false),
    ])
    func `HEAD precedes GET only for accurate progress of a queue that is suspended`(
        method: HTTPMethod, isAccurate: Bool, isSuspended: Bool, needsHead: Bool
    ) {
        #expect(
            QueueMeter.needsHead(method: method, isAccurate: isAccurate, isSuspended: isSuspended) == needsHead)
    }
}

import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct ResponseBodyPipeTests {
    private func read(_ pipe: ResponseBodyPipe) async throws -> Data {
        var data = Data()
        while let chunks = try await pipe.next() { for chunk in chunks { data += chunk } }
        return data
    }

    /// A pipe that spills beyond a limit, and its writer.
    private func spilling(
        _ limit: Int, suspendingAt suspension: Int? = nil, loadSize: Int = 256 << 10,
        in folder: URL = .temporaryDirectory
    ) -> (ResponseBodyPipe, SpillingWriter) {
        let pipe = ResponseBodyPipe(ResponseBodyLimits(suspension: suspension, spilling: limit), loadSize: loadSize)
        return (pipe, SpillingWriter(pipe: pipe, directory: folder))
    }

    @Test(arguments: [1, 1000, 1 << 20])
    func `bytes beyond the memory limit go through a file`(limit: Int) async throws {
        let (pipe, writer) = spilling(limit, loadSize: 777)
        let source = bytes(100_000)
        for start in stride(from: 0, to: source.count, by: 1000) {
            try writer.write(source.dropFirst(start).prefix(1000))
        }
        pipe.finish(nil)
        #expect(try await read(pipe) == source)
    }

    @Test(arguments: [0, 1, 2]) func `concurrent writer and reader`(pace: Int) async throws {
        let (pipe, writer) = spilling(5000, loadSize: 3000)
        let source = bytes(2 << 20)
        async let received = Task {
            var data = Data()
            while let chunks = try await pipe.next() {
                for chunk in chunks { data += chunk }
                if pace == 1 { for _ in 0..<20 { await Task.yield() } }
            }
            return data
        }.value
        for start in stride(from: 0, to: source.count, by: 1500) {
            try writer.write(source.dropFirst(start).prefix(1500))
            if pace == 2 { await Task.yield() }
        }
        pipe.finish(nil)
        #expect(try await received == source)
    }

    @Test(arguments: ["bytes", "end", "error", "close"])
    func `bytes, the end and closing resume a waiting reader`(by event: String) async throws {
        let (pipe, writer) = spilling(100)
        let reader = Task { try await pipe.next() }
        for _ in 0..<100 { await Task.yield() }
        let failure = TransportError(.connectionLost, "x")
        switch event {
        case "bytes": try writer.write(Data([1]))
        case "end": pipe.finish(nil)
        case "error": pipe.finish(failure)
        default: pipe.close(failure)
        }
        switch (event, await reader.result) {
        case ("bytes", .success(let chunks)): #expect(chunks == [Data([1])])
        case ("end", .success(let chunks)): #expect(chunks == nil)
        case ("error", .failure(let error as TransportError)), ("close", .failure(let error as TransportError)):
            #expect(error.code == .connectionLost)
        case (_, let result): Issue.record("\(result)")
        }
    }

    @Test func `a writer that ignores its suspension uses no more memory than the second limit`() async throws {
        let folder = try TemporaryFolder()
        let rooms = Watched(0)
        let limit = 1 << 20
        let (pipe, writer) = spilling(2 * limit, suspendingAt: limit, in: folder.url)
        pipe.onRoom { rooms.update { $0 += 1 } }
        let chunk = bytes(64 << 10)
        let count = 1600
        var most = 0
        var sum = 0
        // 25 times faster than the reader: 100 MiB, nearly all of them unread.
        for number in 1...count {
            try writer.write(chunk)
            most = max(most, pipe.bytesInMemory)
            if number.isMultiple(of: 25) { sum += try await pipe.next()?.reduce(0) { $0 + $1.count } ?? 0 }
        }
        #expect(pipe.isFull && rooms.value == 0 && most < 2 * limit + chunk.count + 1024)
        while pipe.isFull { sum += try await pipe.next()?.reduce(0) { $0 + $1.count } ?? 0 }
        #expect(rooms.value == 1 && count * chunk.count - sum <= limit / 2)
        pipe.finish(nil)
        sum += try await read(pipe).count
        #expect(sum == count * chunk.count)
        #expect(try folder.names.isEmpty)
    }

    @Test func `the writer of a full pipe pauses until half of it is read, or for good after its end`() async throws {
        let rooms = Mutex(0)
        let pipe = ResponseBodyPipe(memoryLimit: 100_000) { rooms.withLock { $0 += 1 } }
        #expect(!pipe.write([bytes(30_000), Data(), bytes(30_000)]))
        #expect(pipe.write([bytes(300_000)]) && pipe.write([]))
        #expect(try await pipe.next()?.map(\.count) == [30_000, 30_000] && rooms.withLock(\.self) == 0)
        #expect(try await pipe.next()?.map(\.count) == [300_000] && rooms.withLock(\.self) == 1)
        #expect(!pipe.write([bytes(1)]) && pipe.write([bytes(100_000)]))
        pipe.close(nil)
        #expect(pipe.write([bytes(1)]) && rooms.withLock(\.self) == 1)
        #expect(try await pipe.next() == nil)
    }

    @Test func `a response ends its transfer when it is released, and its reader gets bytes before an error`()
        async throws
    {
        let pipe = ResponseBodyPipe(memoryLimit: 100) {}
        let ended = Gate()
        let request = try HTTPRequest(.get, "http://patchbay.test/")
        let head = HTTPResponseHead(status: .ok, url: request.url)
        var response: HTTPResponseStream? = pipe.response(head, to: request) { ended.open() }
        _ = pipe.write([Data([1]), Data([2])])
        pipe.finish(TransportError(.connectionLost, "x"))
        var chunks = response?.body.makeAsyncIterator()
        #expect(try await chunks?.next() == Data([1, 2]))
        await #expect(throws: TransportError.self) { try await chunks?.next() }
        #expect(response?.status == .ok)
        (response, chunks) = (nil, nil)
        #expect(ended.isOpen)
    }

    @Test func `the transfer is ended once, and what continues it is released at the end`() async throws {
        final class Connection: Sendable {
            let ends = Mutex(0)
            let pipe = Mutex<ResponseBodyPipe?>(nil)
        }
        let request = try HTTPRequest(.get, "http://patchbay.test/")
        weak var released: Connection?
        do {
            let connection = Connection()
            released = connection
            let pipe = ResponseBodyPipe(memoryLimit: 100) { _ = connection }
            connection.pipe.withLock { $0 = pipe }
            let head = HTTPResponseHead(status: .ok, url: request.url)
            let task = Task {
                let response = pipe.response(head, to: request) { connection.ends.withLock { $0 += 1 } }
                var chunks = response.body.makeAsyncIterator()
                return try await chunks.next()
            }
            task.cancel()
            #expect(try await transportError { _ = try await task.value }.code == .cancelled)
            #expect(connection.ends.withLock(\.self) == 1)
        }
        #expect(released == nil)
    }

    @Test func `a spill file that cannot be created is the writer's error; earlier bytes can be read`()
        async throws
    {
        let (pipe, writer) = spilling(2, in: URL(filePath: "/nonexistent/folder"))
        try writer.write(Data([1, 2]))
        #expect(throws: POSIXError.self) { try writer.write(Data([3])) }
        pipe.finish(TransportError(.unknown, "x"))
        #expect(try await pipe.next() == [Data([1, 2])])
        await #expect(throws: TransportError.self) { try await pipe.next() }
    }
}

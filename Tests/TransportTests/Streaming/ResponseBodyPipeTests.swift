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

    @Test(arguments: [1, 1000, 1 << 20])
    func `bytes beyond the memory limit go through a file`(limit: Int) async throws {
        let pipe = ResponseBodyPipe(spillingTo: .temporaryDirectory, memoryLimit: limit, loadSize: 777)
        let source = bytes(100_000)
        for start in stride(from: 0, to: source.count, by: 1000) {
            try pipe.write(source.dropFirst(start).prefix(1000))
        }
        pipe.finish(nil)
        #expect(try await read(pipe) == source)
    }

    @Test(arguments: [0, 1, 2]) func `concurrent writer and reader`(pace: Int) async throws {
        let pipe = ResponseBodyPipe(spillingTo: .temporaryDirectory, memoryLimit: 5000, loadSize: 3000)
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
            try pipe.write(source.dropFirst(start).prefix(1500))
            if pace == 2 { await Task.yield() }
        }
        pipe.finish(nil)
        #expect(try await received == source)
    }

    @Test(arguments: ["bytes", "end", "error", "close"])
    func `bytes, the end and closing resume a waiting reader`(by event: String) async throws {
        let pipe = ResponseBodyPipe(spillingTo: .temporaryDirectory, memoryLimit: 100)
        let reader = Task { try await pipe.next() }
        for _ in 0..<100 { await Task.yield() }
        let failure = TransportError(.connectionLost, "x")
        switch event {
        case "bytes": try pipe.write(Data([1]))
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

    @Test func `reports when it becomes full, when it is drained, and its end, but nothing else`() async throws {
        let pipe = ResponseBodyPipe(.suspend, spillingTo: URL(filePath: "/nonexistent"), memoryLimit: 1000)
        let levels = Mutex<[Bool]>([])
        pipe.onFlowChange { [weak pipe] in levels.withLock { $0.append(pipe?.isFull ?? false) } }
        for _ in 0..<3 { try pipe.write(bytes(600)) }
        #expect(levels.withLock(\.self) == [true])
        while pipe.isFull { _ = try await pipe.next() }
        #expect(levels.withLock(\.self) == [true, false])
        for _ in 0..<3 { try pipe.write(bytes(600)) }
        pipe.finish(nil)
        #expect(levels.withLock(\.self) == [true, false, true, false])
        #expect(try await !read(pipe).isEmpty)
        pipe.close(nil)
        #expect(levels.withLock(\.self).count == 4)
    }

    @Test func `a spill file that cannot be created is the writer's error; earlier bytes can be read`()
        async throws
    {
        let pipe = ResponseBodyPipe(spillingTo: URL(filePath: "/nonexistent/folder"), memoryLimit: 2)
        try pipe.write(Data([1, 2]))
        #expect(throws: POSIXError.self) { try pipe.write(Data([3])) }
        pipe.finish(TransportError(.unknown, "x"))
        #expect(try await pipe.next() == [Data([1, 2])])
        await #expect(throws: TransportError.self) { try await pipe.next() }
    }
}

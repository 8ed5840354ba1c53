import Foundation
import Testing

@testable import CurlTransport

@Suite struct ResponseBufferStateTests {
    private struct Failure: Error {}

    private func chunks(_ sizes: Int...) -> [Data] { sizes.map { Data(count: $0) } }

    @Test func `it is full from its limit until half of it is read`() {
        var state = ResponseBufferState(limit: 1 << 20)
        state.write(chunks(600 << 10))
        #expect(!state.isFull)
        state.write(chunks(600 << 10))
        #expect(state.isFull)
        guard case .chunks(let first, let continues) = state.read() else { return #expect(Bool(false)) }
        #expect(first.count == 1 && !continues && state.isFull)
        guard case .chunks(_, true) = state.read() else { return #expect(Bool(false), "it does not continue") }
        #expect(!state.isFull && state.isWaiting)
    }

    @Test func `small chunks are joined`() {
        var state = ResponseBufferState(limit: 1 << 20)
        for _ in 0..<100 { state.write(chunks(2)) }
        guard case .chunks(let chunks, _) = state.read() else { return #expect(Bool(false)) }
        #expect(chunks.map(\.count) == [200])
    }

    @Test func `the bytes come before the error, which comes once`() {
        var state = ResponseBufferState(limit: 100)
        state.write(chunks(3))
        state.finish(Failure())
        state.write(chunks(3))
        guard case .chunks(let chunks, _) = state.read() else { return #expect(Bool(false)) }
        #expect(chunks.map(\.count) == [3])
        guard case .end(_?) = state.read() else { return #expect(Bool(false), "no error") }
        guard case .end(nil) = state.read() else { return #expect(Bool(false), "a second error") }
    }

    @Test func `closing drops the bytes, and pauses the transfer until it is cancelled`() {
        var state = ResponseBufferState(limit: 100)
        state.write(chunks(3))
        #expect(!state.isFull)
        state.close(Failure())
        state.write(chunks(3))
        #expect(state.isFull)
        guard case .end(_?) = state.read() else { return #expect(Bool(false), "no error") }
    }
}

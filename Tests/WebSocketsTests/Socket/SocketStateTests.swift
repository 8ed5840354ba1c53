import Foundation
import Testing

@testable import WebSockets

@Suite struct SocketStateTests {
    @Test func `one message is compressed at a time, and others pass it`() {
        var state = SocketState(sendLimit: 100)
        #expect(state.begin(compresses: true) == "compress")
        #expect(state.begin(compresses: true) == "wait")
        #expect(state.begin(compresses: false) == "write")
        #expect(state.begin(compresses: false) == "queued")
        let (sending, waiters) = state.compressed(isValid: true)
        #expect(sending.name == "queued" && waiters.count == 1)
        #expect(state.begin(compresses: true) == "compress")
    }

    @Test func `a message that cannot be compressed, or is too late, is not sent`() {
        var state = SocketState(sendLimit: 100)
        #expect(state.begin(compresses: true) == "compress")
        #expect(state.compressed(isValid: false).sending.name == "ended")
        #expect(state.begin(compresses: true) == "compress")
        #expect(state.begin(compresses: true) == "wait")
        #expect(state.end().waiters.count == 1)
        #expect(state.compressed(isValid: true).sending.name == "ended")
        #expect(state.begin(compresses: true) == "ended")
    }

    @Test func `a message waits for room while frames of the limit wait for the network`() {
        var state = SocketState(sendLimit: 100)
        state.outgoing = Data(count: 99)
        #expect(state.begin(compresses: false) == "write")
        state.outgoing = Data(count: 100)
        #expect(state.begin(compresses: false) == "wait")
        #expect(state.begin(compresses: true) == "wait")
        #expect(state.take().waiters.count == 2)
        #expect(state.begin(compresses: false) == "queued")
    }

    @Test func `activity and a lag both change the number, and a lag has none`() {
        var state = SocketState(sendLimit: 100)
        let first = state.activityWithoutLag
        #expect(first != nil && state.activityWithoutLag == first)
        state.noteActivity()
        let second = state.activityWithoutLag
        #expect(second != first)
        state.beginLagging()
        #expect(state.activityWithoutLag == nil)
        state.isLagging = false
        #expect(state.activityWithoutLag != nil && state.activityWithoutLag != second)
    }
}

extension SocketState {
    fileprivate mutating func begin(compresses: Bool) -> String { beginSending(compresses: compresses).name }
}

extension SocketState.Sending {
    fileprivate var name: String {
        switch self {
        case .compress: "compress"
        case .write: "write"
        case .queued: "queued"
        case .wait: "wait"
        case .ended: "ended"
        }
    }
}

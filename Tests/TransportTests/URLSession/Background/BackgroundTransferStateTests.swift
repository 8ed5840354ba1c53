import Foundation
import HTTPMessages
import Testing

@testable import Transport

@Suite struct BackgroundTransferStateTests {
    private typealias State = BackgroundTransferState
    private typealias Record = BackgroundTransferRecord

    private func record(isUpload: Bool = false, _ url: String = "https://h.test/film?token=s3cret") throws -> Record {
        Record(
            id: UUID(), name: "film", isUpload: isUpload, request: try HTTPRequest(isUpload ? .put : .get, url),
            file: URL(filePath: "/somewhere/film"))
    }

    private func head(_ status: Int = 200, _ url: String = "https://h.test/film?token=s3cret") throws
        -> HTTPResponseHead
    {
        HTTPResponseHead(
            status: try #require(HTTPStatus(status)), fields: try HTTPFields(["ETag": "\"1\"", "Set-Cookie": "a=b"]),
            url: try #require(URL(string: url)))
    }

    private func failure(_ state: State, _ id: UUID) -> BackgroundTransferFailure.Reason? {
        if case .failed(let failure)? = state.transfer(id)?.state { failure.reason } else { nil }
    }

    @Test func `a download is stored with its response before it is placed, and as finished after that`() throws {
        let record = try record()
        var state = State()
        _ = state.started(record)
        #expect(try state.received(record.id, head()) == [.stage(record)])
        var next = record
        next.phase = .received(StoredHead(try head()))
        #expect(try state.staged(record.id, head()) == [.store(next), .place(next)])
        next.phase = .finished(StoredHead(try head()))
        #expect(state.placed(record.id) == [.store(next), .announce(record.id), .signal])
        #expect(try state.completed(record.id, head(), nil).isEmpty)
        #expect(state.transfers.map(\.isComplete) == [true])
        #expect(state.acknowledged(record.id) == [.deleteRecord(record.id), .signal])
        #expect(state.transfers.isEmpty)
    }

    /// The events that end a transfer, with the reason of its failure; nil if it finishes.
    private enum End: CaseIterable {
        case finished, status, error, cancelledByTheSystem, cancelled, downgrade, noResponse, file, nothing

        var reason: BackgroundTransferFailure.Reason? {
            switch self {
            case .finished: nil
            case .status, .downgrade: .response
            case .error, .noResponse, .nothing: .network
            case .cancelledByTheSystem, .cancelled: .cancelled
            case .file: .file
            }
        }
    }

    @discardableResult
    private func end(_ state: inout State, _ record: Record, _ end: End) throws -> [State.Action] {
        let id = record.id
        switch end {
        case .finished:
            if record.isUpload { return state.completed(id, try head(), nil) }
            return try state.received(id, head()) + state.staged(id, head()) + state.placed(id)
        case .status:
            return record.isUpload ? state.completed(id, try head(404), nil) : state.received(id, try head(404))
        case .error: return state.completed(id, nil, TransportError(.connectionLost, "m"))
        case .cancelledByTheSystem: return state.completed(id, nil, TransportError(.cancelled, "m"))
        case .cancelled: return state.cancelled(id)
        case .downgrade:
            let head = try head(200, "http://h.test/film")
            return record.isUpload ? state.completed(id, head, nil) : state.received(id, head)
        case .noResponse: return record.isUpload ? state.completed(id, nil, nil) : state.received(id, nil)
        case .file: return state.fileFailed(id, "m")
        case .nothing: return state.completed(id, record.isUpload ? nil : try head(), nil)
        }
    }

    @Test(arguments: [false, true])
    func `a transfer completes once, regardless of what comes after its end`(isUpload: Bool) throws {
        for first in End.allCases {
            let record = try record(isUpload: isUpload)
            var state = State()
            _ = state.started(record)
            let actions = try end(&state, record, first)
            #expect(actions.filter { $0 == .announce(record.id) }.count == 1, "\(first)")
            #expect(failure(state, record.id) == first.reason, "\(first)")
            // It is stored before it is announced.
            let stored = actions.lastIndex { if case .store = $0 { true } else { false } }
            #expect(try #require(stored) < #require(actions.firstIndex(of: .announce(record.id))), "\(first)")
            let ended = state.transfer(record.id)
            for second in End.allCases {
                let later = try end(&state, record, second)
                #expect(!later.contains(.announce(record.id)), "\(first) \(second)")
                #expect(state.transfer(record.id) == ended, "\(first) \(second)")
                #expect(!later.contains { if case .place = $0 { true } else { false } }, "\(first) \(second)")
            }
            #expect(state.progressed(record.id, completed: 1, total: 2).isEmpty, "\(first)")
        }
    }

    @Test func `after a relaunch a received file is placed, and completions wait to be acknowledged`() throws {
        var (received, finished) = (try record(), try record())
        received.phase = .received(StoredHead(try head()))
        finished.phase = .finished(StoredHead(try head()))
        var state = State([received, finished, try record()])
        #expect(state.opened() == [.place(received)])
        #expect(state.transfers.map(\.isComplete) == [false, true, false])
        #expect(state.placed(received.id).contains(.announce(received.id)))
    }

    @Test func `a transfer without a task is lost only when its end has not come within a while`() throws {
        let (lost, late, listed) = (try record(isUpload: true), try record(isUpload: true), try record(isUpload: true))
        var state = State([lost, late, listed])
        let stranger = UUID()
        let (actions, mustWait) = state.listed([listed.id, stranger])
        #expect(actions == [.cancelTask(stranger)] && mustWait)
        #expect(try state.completed(late.id, head(), nil).contains(.announce(late.id)))
        #expect(state.waitEnded().filter { $0 == .announce(lost.id) }.count == 1)
        #expect(failure(state, lost.id) == .lost && failure(state, late.id) == nil)
        #expect(state.transfer(listed.id)?.state == .running)
        #expect(state.waitEnded().isEmpty)
    }

    @Test func `what is started while the system lists its tasks is not lost`() throws {
        let record = try record()
        var state = State()
        _ = state.started(record)
        #expect(state.listed([]) == ([], false))
        #expect(state.waitEnded().isEmpty && state.transfer(record.id)?.state == .running)
    }

    @Test func `a handler of the system's events is called once, after the last of them`() throws {
        let record = try record(isUpload: true)
        var state = State([record])
        #expect(state.handlerAdded().isEmpty)
        _ = state.progressed(record.id, completed: 1, total: nil)
        #expect(state.eventsEnded() == [.callHandlers])
        #expect(state.eventsEnded().isEmpty)
        // The events have come before the handler.
        #expect(state.handlerAdded() == [.callHandlers])
        // Later events have an end of their own.
        #expect(state.eventsEnded().isEmpty)
        _ = state.progressed(record.id, completed: 2, total: nil)
        #expect(state.handlerAdded().isEmpty)
        #expect(state.eventsEnded() == [.callHandlers])
    }

    @Test func `the record has no secret, and reads back`() throws {
        var record = try record()
        record.phase = .finished(StoredHead(try head()))
        let text = String(decoding: try record.data, as: UTF8.self)
        #expect(!text.contains("s3cret") && !text.contains("a=b"))
        let read = try #require(BackgroundTransferRecord(record.data))
        #expect(read == record)
        guard case .finished(let head) = read.transfer(nil).state else { return #expect(Bool(false)) }
        #expect(head.fields["ETag"] == "\"1\"" && head.status == .ok)
        #expect(head.url.absoluteString == "https://h.test/film")
        #expect(BackgroundTransferRecord(Data("{}".utf8)) == nil)
    }

    @Test func `a path in the home folder follows it`() throws {
        let path = StoredPath(URL(filePath: "/home/1/Documents/a b"), home: "/home/1")
        #expect(path.url(home: "/home/2").path == "/home/2/Documents/a b")
        #expect(StoredPath(URL(filePath: "/tmp/a"), home: "/home/1").url(home: "/home/2").path == "/tmp/a")
        #expect(StoredPath(URL(filePath: "/home/11/a"), home: "/home/1").url(home: "/home/2").path == "/home/11/a")
    }
}

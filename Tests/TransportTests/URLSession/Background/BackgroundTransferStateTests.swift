import Foundation
import HTTPMessages
import SystemLibraries
import TestSupport
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

    private func file() throws -> StoredFile { StoredFile(try FileStatus(at: "/")) }

    /// Performs actions as on a disk that can be written: what is stored has its effect at once.
    private func stored(_ state: inout State, _ actions: [State.Action]) -> [State.Action] {
        actions.flatMap { action -> [State.Action] in
            guard case .store(let record) = action else { return [action] }
            return [action] + stored(&state, state.stored(record))
        }
    }

    @Test func `a download is stored with its response before it is placed, and as finished after that`() throws {
        let record = try record()
        var state = State()
        _ = state.started(record)
        var next = record
        next.phase = .receiving(StoredHead(try head(), .standard), size: 7)
        #expect(try state.received(record.id, head(), size: 7) == [.store(next), .stage(next)])
        #expect(state.stored(next).isEmpty)
        next.phase = .received(StoredHead(try head(), .standard), try file())
        #expect(try state.staged(record.id, file()) == [.store(next)])
        #expect(try state.stored(next) == [.place(next, file())])
        next.phase = .finished(StoredHead(try head(), .standard))
        #expect(state.placed(record.id) == [.store(next)])
        #expect(state.stored(next) == [.announce(record.id), .signal])
        #expect(try state.completed(record.id, head(), nil).isEmpty)
        #expect(state.transfers.map(\.isComplete) == [true])
        #expect(state.acknowledged(record.id) == [.deleteRecord(record.id), .signal])
        #expect(state.transfers.isEmpty)
    }

    @Test func `a completion that cannot be stored is not announced, and is stored later`() throws {
        let record = try record()
        var state = State()
        _ = state.started(record)
        var next = record
        next.phase = .failed(BackgroundTransferFailure(.cancelled, "The transfer was cancelled."))
        #expect(state.cancelled(record.id) == [.store(next), .cancelTask(record.id)])
        #expect(state.storingFailed() == [.retryLater])
        #expect(state.storingFailed().isEmpty)
        #expect(state.transfers.map(\.state) == [.running])
        // It is decided: other events change nothing, and it cannot be acknowledged yet.
        #expect(try state.received(record.id, head(), size: 7).isEmpty)
        #expect(state.cancelled(record.id).isEmpty && state.acknowledged(record.id).isEmpty)
        #expect(state.retried() == [.store(next)])
        #expect(state.storingFailed() == [.retryLater])
        #expect(state.stored(next) == [.announce(record.id), .signal, .deleteStagedFile(next)])
        #expect(state.retried().isEmpty && failure(state, record.id) == .cancelled)
    }

    @Test func `a file that cannot be placed on a full disk is placed later`() throws {
        var record = try record()
        record.phase = .received(StoredHead(try head(), .standard), try file())
        var state = State([record])
        #expect(state.fileFailed(record.id, "m", isTransient: true) == [.retryLater])
        #expect(state.transfers.map(\.state) == [.running])
        #expect(try state.retried() == [.place(record, file())])
    }

    @Test func `the task of a cancelled transfer is cancelled after a relaunch, and that of an unknown record not`()
        throws
    {
        var record = try record(isUpload: true)
        record.phase = .failed(BackgroundTransferFailure(.cancelled, "m"))
        let newer = UUID()
        var state = State([record], unreadable: [newer])
        #expect(state.listed([record.id, newer]).actions == [.cancelTask(record.id)])
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
            if record.isUpload { return stored(&state, state.completed(id, try head(), nil)) }
            return try stored(&state, state.received(id, head(), size: 7)) + stored(&state, state.staged(id, file()))
                + stored(&state, state.placed(id))
        case .status:
            return try stored(
                &state,
                record.isUpload ? state.completed(id, head(404), nil) : state.received(id, head(404), size: 7))
        case .error: return stored(&state, state.completed(id, nil, TransportError(.connectionLost, "m")))
        case .cancelledByTheSystem: return stored(&state, state.completed(id, nil, TransportError(.cancelled, "m")))
        case .cancelled: return stored(&state, state.cancelled(id))
        case .downgrade:
            let head = try head(200, "http://h.test/film")
            return stored(
                &state, record.isUpload ? state.completed(id, head, nil) : state.received(id, head, size: 7))
        case .noResponse:
            return stored(
                &state, record.isUpload ? state.completed(id, nil, nil) : state.received(id, nil, size: 7))
        case .file: return stored(&state, state.fileFailed(id, "m"))
        case .nothing: return stored(&state, state.completed(id, record.isUpload ? nil : try head(), nil))
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
        var (received, receiving, finished) = (try record(), try record(), try record())
        received.phase = .received(StoredHead(try head(), .standard), try file())
        receiving.phase = .receiving(StoredHead(try head(), .standard), size: 7)
        finished.phase = .finished(StoredHead(try head(), .standard))
        var state = State([received, receiving, finished, try record()])
        #expect(try state.opened() == [.place(received, file()), .findStagedFile(receiving)])
        #expect(state.transfers.map(\.isComplete) == [false, false, true, false])
        #expect(stored(&state, state.placed(received.id)).contains(.announce(received.id)))
    }

    @Test func `a transfer without a task is lost only when its end has not come within a while`() throws {
        let (lost, late, listed) = (try record(isUpload: true), try record(isUpload: true), try record(isUpload: true))
        var state = State([lost, late, listed])
        let stranger = UUID()
        let (actions, mustWait) = state.listed([listed.id, stranger])
        #expect(actions == [.cancelTask(stranger)] && mustWait)
        #expect(try stored(&state, state.completed(late.id, head(), nil)).contains(.announce(late.id)))
        #expect(stored(&state, state.waitEnded()).filter { $0 == .announce(lost.id) }.count == 1)
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
        #expect(state.handlerAdded(at: .seconds(1)).isEmpty)
        _ = state.progressed(record.id, completed: 1, total: nil)
        #expect(state.eventsEnded(at: .seconds(2)) == [.callHandlers])
        #expect(state.eventsEnded(at: .seconds(3)).isEmpty)
        // The events have come before the handler; another transfer goes on meanwhile.
        _ = state.progressed(record.id, completed: 2, total: nil)
        #expect(state.handlerAdded(at: .seconds(4)) == [.callHandlers])
        // Later events have an end of their own, also after an end that no handler has come for.
        #expect(state.eventsEnded(at: .seconds(5)).isEmpty)
        #expect(state.handlerAdded(at: .seconds(5) + State.handlerDelay + .seconds(1)).isEmpty)
        #expect(state.eventsEnded(at: .seconds(20)) == [.callHandlers])
    }

    @Test(arguments: ["?token=s3cret", "?hmac=s3cret", "?a=1&s3cret"])
    func `the record has no secret, and reads back`(query: String) throws {
        let url = "https://h.test/film" + query
        var record = try record(url)
        record.phase = .finished(StoredHead(try head(200, url), .standard))
        let text = String(decoding: try record.data, as: UTF8.self)
        #expect(!text.contains("s3cret") && !text.contains("a=b"))
        #expect(record.transfer(nil).request == "GET https://h.test/film")
        let read = try #require(BackgroundTransferRecord(record.data))
        #expect(read == record)
        guard case .finished(let head) = read.transfer(nil).state else { return #expect(Bool(false)) }
        #expect(head.fields["ETag"] == "\"1\"" && head.status == .ok)
        #expect(head.url.absoluteString == "https://h.test/film")
        #expect(BackgroundTransferRecord(Data("{}".utf8)) == nil)
    }

    @Test(arguments: [false, true], ["X-Partner", "X-Auth-Token"])
    func `a field of a response with a secret name, also one of the app, is not stored`(
        isUpload: Bool, name: String
    ) throws {
        let record = try record(isUpload: isUpload)
        var state = State(secrets: RedirectPolicy(secrets: Redaction(words: ["partner"])))
        _ = state.started(record)
        var head = try head()
        try head.fields.set(HTTPFieldName(name), to: "s3cret")
        try head.fields.set("X-Text", to: "token=s3cret")
        let actions = isUpload ? state.completed(record.id, head, nil) : state.received(record.id, head, size: 7)
        guard case .store(let next)? = actions.first else { return #expect(Bool(false)) }
        #expect(!String(decoding: try next.data, as: UTF8.self).contains("s3cret"))
    }

    @Test func `a path in the home folder follows it, also by another path of that folder`() throws {
        let folder = try TemporaryFolder()
        let home = folder.url.appending(path: "private/home")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "link"), withDestinationURL: folder.url.appending(path: "private"))
        let linked = folder.url.appending(path: "link/home")
        for (file, home) in [(linked, home), (home, linked)] {
            let path = StoredPath(file.appending(path: "film"), home: home.path)
            #expect(path.url(home: "/home/2").path == "/home/2/film")
        }
    }

    @Test func `a path in the home folder follows it`() throws {
        let path = StoredPath(URL(filePath: "/home/1/Documents/a b"), home: "/home/1")
        #expect(path.url(home: "/home/2").path == "/home/2/Documents/a b")
        #expect(StoredPath(URL(filePath: "/tmp/a"), home: "/home/1").url(home: "/home/2").path == "/tmp/a")
        #expect(StoredPath(URL(filePath: "/home/11/a"), home: "/home/1").url(home: "/home/2").path == "/home/11/a")
    }
}

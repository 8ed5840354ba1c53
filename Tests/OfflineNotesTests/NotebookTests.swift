import DeltaSync
import Outbox
import Patchbay
import PatchbayTestKit
import SQLiteStore
import TestSupport
import Testing
import VendorServices

@testable import offline_notes

@Suite(.needsSlot) struct NotebookTests {
    private let service: RowService
    private let tunnel: Tunnel

    init() {
        service = .notes()
        tunnel = Tunnel(over: ServiceTransport(service))
    }

    private func open(_ store: SQLiteStore) throws -> Notebook {
        try Notebook("http://notes.example", over: tunnel, in: store, waitingFor: tunnel.network)
    }

    private func note(_ id: String) throws -> Note? {
        try service.row(id).map { try JSONDecoder().decode(Note.self, from: JSONValue.object($0).data()) }
    }

    @Test func `rows, search, observation and the cache work in a tunnel`() async throws {
        let notebook = try open(SQLiteStore(.memory))
        #expect(try await notebook.synchronize().counts.upserts == 2)
        #expect(try await notebook.help() == "Notes work in a tunnel.")
        tunnel.enter()
        #expect(try await notebook.help() == "Notes work in a tunnel.")
        await #expect(throws: DeltaError.self) { try await notebook.synchronize() }
        #expect(try notebook.notes(matching: "green").map(\.id) == ["2"])
        try notebook.save(Note(id: "3", title: "Dark", text: ""))
        for try await titles in notebook.titles() {
            #expect(titles == ["Tea", "Fence", "Dark"])
            break
        }
        await notebook.outbox.close()
    }

    @Test func `a status is the error of a delta, and a version is escaped`() async throws {
        let requests = Watched<[String]>([])
        let fake = ServiceTransport(
            ClosureService { request in
                requests.update { $0.append(request.url.absoluteString) }
                guard requests.value.count == 1 else { return request.response(.unauthorized, text: "Sign in.") }
                return request.response(text: #"[{"to": "a&b"}, {"end": {"upserts": 0, "deletes": 0}}]"#)
            })
        let notebook = try Notebook(
            "http://notes.example", over: fake, in: SQLiteStore(.memory), waitingFor: tunnel.network)
        try await notebook.synchronize()
        let error = await #expect(throws: DeltaError.self) { try await notebook.synchronize() }
        #expect(error?.httpStatus == .unauthorized)
        #expect(error?.message == "The request to the server failed: 401 Unauthorized; see `underlying`.")
        #expect(requests.value.last == "http://notes.example/changes?since=a%26b")
        await notebook.outbox.close()
    }

    @Test func `edits survive a relaunch and a delta, and reach the server`() async throws {
        let store = try SQLiteStore(.memory)
        var notebook = try open(store)
        try await notebook.synchronize()
        tunnel.enter()
        var tea = try #require(try notebook.note("1"))
        tea.text = "Assam"
        try notebook.save(tea)
        try notebook.delete(#require(try notebook.note("2")))
        try notebook.save(Note(id: "3", title: "Dark", text: ""))
        await notebook.outbox.close()
        notebook = try open(store)
        service.change("1") { $0?["title"] = "Tea for two" }
        tunnel.seeLight()
        try await notebook.synchronize()
        #expect(try notebook.notes().map(\.text) == ["Assam", ""])
        tunnel.leave()
        try await notebook.waitUntilSettled()
        try await notebook.synchronize()
        #expect(try notebook.notes() == ["1", "3"].compactMap { try note($0) })
        let served = try ["1", "2", "3"].map { try note($0) }
        #expect(served.map { $0?.title } == ["Tea for two", nil, "Dark"] && served[0]?.text == "Assam")
        #expect(try notebook.conflicts().isEmpty)
        await notebook.outbox.close()
    }

    @Test func `a note that was changed on both sides is the user's decision`() async throws {
        for resolution in [OutboxResolution.client, .server] {
            let notebook = try open(SQLiteStore(.memory))
            try await notebook.synchronize()
            tunnel.enter()
            var fence = try #require(try notebook.note("2"))
            fence.title = "Mine, \(resolution)"
            try notebook.save(fence)
            service.change("2") { $0?["title"] = .string("Theirs, \(resolution)") }
            tunnel.leave()
            try await notebook.waitUntilSettled()
            let (entry, edit) = try #require(try notebook.conflicts().first)
            #expect(edit.conflictingColumns == ["title"] && edit.server?["title"] == .text("Theirs, \(resolution)"))
            try notebook.outbox.resolve(entry.id, with: resolution)
            try await notebook.waitUntilSettled()
            try await notebook.synchronize()
            let title = resolution == .client ? "Mine, client" : "Theirs, server"
            #expect(try [notebook.note("2")?.title, note("2")?.title] == [title, title])
            await notebook.outbox.close()
        }
    }

    @Test func `a request behind a conflict waits for the user's decision, and follows it`() async throws {
        let notebook = try open(SQLiteStore(.memory))
        try await notebook.synchronize()
        tunnel.enter()
        var fence = try #require(try notebook.note("2"))
        for title in ["Mine", "Mine again"] {
            fence.title = title
            try notebook.save(fence)
        }
        service.change("2") { $0?["title"] = "Theirs" }
        tunnel.leave()
        try await notebook.waitUntilSettled()
        #expect(try notebook.outbox.failures.count == 1 && notebook.outbox.entries().count == 1)
        while let (entry, _) = try notebook.conflicts().first {
            try notebook.outbox.resolve(entry.id, with: .client)
            try await notebook.waitUntilSettled()
        }
        #expect(try notebook.outbox.entries().isEmpty && note("2")?.title == "Mine again")
        await notebook.outbox.close()
    }

    @Test(arguments: [.badRequest, .notFound, .serviceUnavailable] as [HTTPStatus])
    func `a request that the server refuses or cannot take is no conflict`(status: HTTPStatus) async throws {
        let refusing = Tunnel(
            over: ServiceTransport(
                ClosureService { [service] request in
                    guard request.method != .put else { return request.response(status) }
                    return try await service.respond(to: request)
                }))
        let notebook = try Notebook(
            "http://notes.example", over: refusing, in: SQLiteStore(.memory), waitingFor: refusing.network)
        try await notebook.synchronize()
        var tea = try #require(try notebook.note("1"))
        tea.title = "Coffee"
        try notebook.save(tea)
        try await notebook.waitUntilSettled()
        #expect(try notebook.conflicts().isEmpty)
        let rejections = try notebook.rejections()
        #expect(rejections.map { $0.failure?.status } == (status == .serviceUnavailable ? [] : [status]))
        for entry in rejections { try notebook.outbox.discard(entry.id) }
        #expect(try notebook.note("1")?.title == (status == .serviceUnavailable ? "Coffee" : "Tea"))
        await notebook.outbox.close()
    }
}

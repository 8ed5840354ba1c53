import Foundation
import HTTPMessages
import Synchronization
import Transport

/// The state of a recorded transport: what is in the file, and what was recorded since.
final class RecordingSession: Sendable {
    private struct State {
        var player: RecordingPlayer?
        /// Why there is none.
        var failure: (any Error)?
        /// In the order of the requests; nil until an exchange has ended, and if it is not recorded.
        var recorded: [Recording.Exchange?] = []
        /// The numbers of the recorded exchanges that are in the file.
        var saved: Set<Int> = []
        var secrets: RecordedSecrets
        /// The first body that is too long to be recorded.
        var tooLarge: RecordingError?

        /// What is to be written: all, or what the file does not have yet.
        func pending(_ mode: Recording.Mode) -> [(number: Int, exchange: Recording.Exchange)] {
            recorded.enumerated().compactMap { number, exchange in
                guard let exchange, mode == .record || !saved.contains(number) else { return nil }
                return (number, exchange)
            }
        }
    }

    let mode: Recording.Mode
    let rules: RecordingRules
    private let file: URL?
    /// What is replayed without a file.
    private let recording: Recording
    private let state: Mutex<State>

    init(_ file: URL, _ mode: Recording.Mode, _ rules: RecordingRules) {
        (self.file, self.mode, self.rules) = (file, mode, rules)
        recording = Recording()
        state = Mutex(State(secrets: RecordedSecrets(rules)))
    }

    init(_ recording: Recording, _ rules: RecordingRules) {
        (file, mode, self.rules) = (nil, .replay, rules)
        self.recording = recording
        state = Mutex(State(secrets: RecordedSecrets(rules)))
    }

    // MARK: Replay

    /// Takes the exchange for a request.
    /// - Parameter body: the bytes of the body, if they are compared and not in memory.
    /// - Returns: nil if there is none left.
    /// - Throws: `RecordingError` for the file; the errors of the rules' closures.
    func take(_ request: HTTPRequest, body: Data?) throws -> RecordingPlayer.Replay? {
        if rules.comparesURLOnly {
            let url = request.url.absoluteString
            if let found = try withPlayer({ $0.take(request.method, url) }) { return found }
        }
        // Outside of the lock: the rules' closures are called.
        let comparable = try ComparableRequest(request, body: body, rules)
        if let found = try withPlayer({ $0.take(comparable) }) { return found }
        guard rules.comparesBody, request.options.hasSecretBody else { return nil }
        // In older files only the secrets of such a body have a placeholder, not the whole body.
        var older = request
        older.options.hasSecretBody = false
        return try take(older, body: body)
    }

    /// The response for a request, in one piece; nil if no exchange is left for it.
    /// - Throws: as ``take(_:body:)``, and the recorded error.
    func response(to request: HTTPRequest, body: Data?) throws -> HTTPResponse? {
        guard let replay = try take(request, body: body) else { return nil }
        if let response = replay.response { return response }
        throw replay.exchange.failure(of: request) ?? unmatched(request, body: body)
    }

    /// Uses the player; reads the file for the first request.
    private func withPlayer<Value: Sendable>(_ body: @Sendable (inout RecordingPlayer) -> Value) throws -> Value {
        while true {
            let value: Value? = try state.withLock { state in
                if let failure = state.failure { throw failure }
                // Out of the state, so that it is changed in place.
                guard var player = state.player.take() else { return nil }
                defer { state.player = player }
                return body(&player)
            }
            if let value { return value }
            // Outside of the lock, since the rules' closures are called. Of several first requests one is heeded.
            let loaded = Result { try RecordingPlayer(try content(), rules) }
            state.withLock { state in
                guard state.player == nil, state.failure == nil else { return }
                do { state.player = try loaded.get() } catch { state.failure = error }
            }
        }
    }

    private func content() throws(RecordingError) -> Recording {
        guard mode != .record, let file else { return recording }
        if mode == .update, try RecordingFile.content(of: file) == nil { return Recording() }
        return try Recording(contentsOf: file)
    }

    /// The error for a request without an exchange.
    func unmatched(_ request: HTTPRequest, body: Data?) -> any Error {
        do {
            let comparable = try ComparableRequest(request, body: body, rules)
            return try withPlayer { [rules] in $0.unmatched(request, comparable, rules) }
        } catch {
            return error
        }
    }

    /// The exchanges of the file that no request got.
    func unused() throws -> [Recording.Exchange] {
        try withPlayer { $0.unused }
    }

    // MARK: Recording

    /// Reserves the place of a request, so that exchanges are in the order of their requests.
    func begin() -> Int {
        state.withLock { state in
            state.recorded.append(nil)
            return state.recorded.count - 1
        }
    }

    /// Records an exchange, without its secrets.
    /// - Parameter isTooLarge: true for a body that was left out, so that the file cannot be written.
    func end(_ number: Int, _ exchange: Recording.Exchange, isTooLarge: Bool) {
        var exchange = exchange
        let isTooLarge = isTooLarge || exchange.chunks.reduce(0) { $0 + $1.count } > rules.maximumBodyBytes
        if isTooLarge { exchange.chunks = [] }
        // A copy, since the work may be long; the words that it has found are merged.
        var secrets = state.withLock(\.secrets)
        secrets.clean(&exchange)
        rules.edit?(&exchange)
        state.withLock { [exchange] state in
            state.secrets.formUnion(secrets)
            state.recorded[number] = exchange
            if isTooLarge { state.tooLarge = state.tooLarge ?? .tooLarge(exchange.request, rules) }
        }
    }

    /// The exchanges that were recorded so far.
    var recorded: [Recording.Exchange] { state.withLock { $0.recorded.compactMap(\.self) } }

    /// Writes the file.
    func save() throws(RecordingError) {
        guard mode != .replay, let file else { return }
        let (pending, secrets, tooLarge) = state.withLock { ($0.pending(mode), $0.secrets, $0.tooLarge) }
        if let tooLarge { throw tooLarge }
        if mode == .update, pending.isEmpty { return }
        guard !pending.isEmpty else {
            throw RecordingError(
                .nothingRecorded,
                "Nothing was recorded, so the file is unchanged; send the requests over this transport.")
        }
        while true {
            // Another process may have added exchanges since this one has read the file.
            let old = mode == .update ? try RecordingFile.content(of: file) : nil
            var recording =
                try old.map { (data) throws(RecordingError) in try RecordingFile.recording(data) }
                ?? Recording()
            recording.exchanges += pending.map(\.exchange)
            try secrets.check(recording.exchanges)
            let data = try RecordingFile.checkedData(of: recording)
            let mode = mode
            if try RecordingFile.replace(file, by: data, if: { mode == .record || $0 == old }) { break }
        }
        state.withLock { state in state.saved.formUnion(pending.map(\.number)) }
    }
}

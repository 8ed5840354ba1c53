import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Authentication

@Suite(.needsSlot) struct CredentialStoreTests {
    private let store = CredentialStore()
    private let space: ProtectionSpace

    init() throws { space = ProtectionSpace(try URL(httpString: "https://h/a"), realm: "r") }

    @Test(arguments: [
        ("https://h/b", true), ("https://H:443", true), ("https://h:0443/", true), ("http://h/", false),
        ("https://h:80/", false), ("https://g.h/", false), ("https://[::1]/", false),
    ])
    func `a space is an origin with normalized ports`(url: String, isSame: Bool) throws {
        let url = try URL(httpString: url)
        #expect((ProtectionSpace(url, realm: "r") == space) == isSame && space.contains(url) == isSame)
        #expect(ProtectionSpace(url, realm: "s") != space && ProtectionSpace(proxy: url, realm: "r") != space)
        store.set(mufasa, for: space)
        #expect((store.credential(at: url)?.credential == mufasa) == isSame)
        #expect(store.proxyCredential(at: url) == nil && store.proxyCredential(at: nil) == nil)
    }

    @Test func `descriptions name the space and not the credential`() throws {
        #expect("\(space)" == "https://h:443, realm \"r\"")
        #expect("\(ProtectionSpace(proxy: nil, realm: "r"))" == "proxy of the transport, realm \"r\"")
        #expect(
            "\(ProtectionSpace(proxy: try URL(httpString: "http://p:3128"), realm: ""))".hasPrefix(
                "proxy http://p:3128"))
        var dumped = ""
        dump(StoredCredential(mufasa, for: space), to: &dumped)
        #expect(!dumped.contains("Mufasa") && !dumped.contains("Circle"))
    }

    @Test(arguments: ["credential", "none", "error"])
    func `a thousand calls ask once and share the outcome`(outcome: String) async throws {
        let gate = Gate()
        let questions = Watched(0)
        let tasks = (0..<1000).map { _ in
            Task { [store, space] in
                try await store.resolve(space) {
                    questions.update { $0 += 1 }
                    try await gate.wait()
                    if outcome == "error" { throw RefreshFailed() }
                    return outcome == "none" ? nil : mufasa
                }
            }
        }
        try await eventually("the calls wait") { store.waiterCount == 999 }
        gate.open()
        for task in tasks {
            if outcome == "error" {
                await #expect(throws: RefreshFailed.self) { try await task.value }
            } else {
                #expect(try await task.value == (outcome == "none" ? nil : mufasa))
            }
        }
        #expect(questions.value == 1 && store.waiterCount == 0)
        #expect(store.credential(for: space) == (outcome == "credential" ? mufasa : nil))
    }

    @Test func `a credential of a user who has signed out meanwhile is not stored, nor given to others`() async throws {
        store.set(mufasa, for: space) { false }
        #expect(store.credential(for: space) == nil)
        let gate = Gate()
        let asker = Task { [store, space] in
            try await store.resolve(space, confirm: { throw RefreshFailed() }) {
                try await gate.wait()
                return mufasa
            }
        }
        try await gate.waitForWaiters(1)
        let other = Task { [store, space] in try await store.resolve(space) { nil } }
        try await eventually("the other call waits") { store.waiterCount == 1 }
        gate.open()
        for task in [asker, other] { await #expect(throws: RefreshFailed.self) { try await task.value } }
        #expect(store.credential(for: space) == nil)
        #expect(try await store.resolve(space, confirm: {}) { mufasa } == mufasa)
    }

    @Test func `calls with the rejected credential share one new question`() async throws {
        store.set(imposter, for: space)
        let gate = Gate()
        let questions = Watched(0)
        let tasks = (0..<100).map { _ in
            Task { [store, space] in
                try await store.resolve(space, rejected: imposter) {
                    questions.update { $0 += 1 }
                    try await gate.wait()
                    return mufasa
                }
            }
        }
        try await eventually("the calls wait") { store.waiterCount == 99 }
        gate.open()
        for task in tasks { #expect(try await task.value == mufasa) }
        // One whose response arrives late.
        let late = try await store.resolve(space, rejected: imposter) {
            Issue.record("asked again")
            return nil
        }
        #expect(late == mufasa && questions.value == 1)
    }

    @Test(arguments: [false, true])
    func `a cancelled asker does not leave the others waiting`(ignoresCancellation: Bool) async throws {
        let asked = Gate()
        let stuck = Gate()
        let asker = Task { [store, space] in
            try await store.resolve(space) {
                asked.open()
                if ignoresCancellation {
                    // Ends only when the test lets it.
                    await Task.detached { try? await stuck.wait() }.value
                    return imposter
                }
                try await stuck.wait()
                return imposter
            }
        }
        try await asked.wait()
        let waiters = (0..<10).map { _ in
            Task { [store, space] in try await store.resolve(space) { mufasa } }
        }
        try await eventually("the calls wait") { store.waiterCount == 10 }
        asker.cancel()
        for waiter in waiters { #expect(try await waiter.value == mufasa) }
        stuck.open()
        if ignoresCancellation {
            #expect(try await asker.value == imposter)
        } else {
            await #expect(throws: CancellationError.self) { try await asker.value }
        }
        #expect(store.credential(for: space) == mufasa)
    }

    @Test func `of a server that changes its realm, the latest credentials are kept`() throws {
        let url = try URL(httpString: "http://h/"), other = try URL(httpString: "http://other/")
        let spaces = (0...64).map { ProtectionSpace(url, realm: "\($0)") }
        store.set(imposter, for: ProtectionSpace(other, realm: "0"))
        for space in spaces { store.set(mufasa, for: space) }
        #expect(
            store.credential(for: spaces[0]) == nil && store.credential(for: ProtectionSpace(other, realm: "0")) != nil)
        #expect(spaces.dropFirst().allSatisfy { store.credential(for: $0) == mufasa })
    }

    @Test @MainActor func `a call that is cancelled when its turn comes does not ask`() async throws {
        let gate = Gate()
        let asker = Task { [store, space] in
            try await store.resolve(space) {
                try await gate.wait()
                return mufasa
            }
        }
        try await gate.waitForWaiters(1)
        let waiter = Task { @MainActor [store, space] in
            try await store.resolve(space) {
                Issue.record("asked")
                return nil
            }
        }
        try await eventually("the call waits") { store.waiterCount == 1 }
        asker.cancel()
        // Before the waiter can take its turn: it runs on the actor of this test.
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(try await store.resolve(space) { mufasa } == mufasa)
    }

    @Test func `a cancelled waiter ends alone`() async throws {
        let gate = Gate()
        let asker = Task { [store, space] in
            try await store.resolve(space) {
                try await gate.wait()
                return mufasa
            }
        }
        try await gate.waitForWaiters(1)
        let waiter = Task { [store, space] in try await store.resolve(space) { nil } }
        try await eventually("the call waits") { store.waiterCount == 1 }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        gate.open()
        #expect(try await asker.value == mufasa)
    }

    @Test func `a question that needs its own credential is an error instead of a deadlock`() async throws {
        let error = await #expect(throws: AuthenticationError.self) {
            try await store.resolve(space) { [store, space] in
                let other = ProtectionSpace(proxy: nil, realm: "other")
                #expect(try await store.resolve(other) { imposter } == imposter)
                return try await store.resolve(space) { nil }
            }
        }
        #expect(error?.code == .recursiveRefresh)
        #expect(try await store.resolve(space) { mufasa } == mufasa)
    }

    @Test func `a callback of a question does not wait for the question`() async throws {
        let error = await #expect(throws: AuthenticationError.self) {
            try await store.resolve(space) { [store, space] in
                let question = RunningWork.question()
                defer { question.finish() }
                let credential = Promise<Result<PasswordCredential?, any Error>>()
                question.perform {
                    Task {
                        do {
                            credential.fulfill(.success(try await store.resolve(space) { nil }))
                        } catch {
                            credential.fulfill(.failure(error))
                        }
                    }
                }
                return try await credential.value.get()
            }
        }
        #expect(error?.code == .recursiveRefresh)
    }
}

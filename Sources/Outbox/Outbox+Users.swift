import DeltaSync
import StoreCore

extension Outbox {
    /// The user whose entries are sent; nil while signed out.
    public var user: String? { sender.users.last.flatMap { $0.isEmpty ? nil : $0 } }

    /// Sends the entries of a user, and adds further ones as those of that user.
    ///
    /// It waits until nothing of another user is in flight. Call it after the layers of the transport have the
    /// credentials of that user. The entries of another user wait for that one; call ``signOut(removingEntries:)``
    /// before, while the layers still have that one's. What that says of a layer, and of a task
    /// that several entries wait for, holds for this call too.
    /// - Parameter user: any name that is the same at each sign-in; at most 1024 bytes. For edits the user of the
    ///   table's `DeltaBinding`.
    /// - Throws: ``OutboxError`` (`nameTooLong`).
    public func signIn(as user: String) async throws {
        try Self.check(user, "User")
        while let other = sender.activeUsers.first(where: { $0 != user }) { await sender.remove(other) }
        sender.update { $0.signIn(user) }
        sender.changes.signal()
    }

    /// Sends nothing more of the user, and returns once nothing of the user is in flight.
    ///
    /// Requests in flight are cancelled, so that no layer sends one with the credentials of the next user. Entries of
    /// no user are still sent. While no user is signed in, the call is for the last one that was: also a second call
    /// waits, and removes.
    ///
    /// A layer of the transport may call it while an entry is sent, such as at a 401. It does not wait for that entry,
    /// whose task is cancelled: the entry ends as the layer ends its call, with a response, or with a
    /// `CancellationError`, after which it waits for the user. Nor does a task that the layer starts, while the entry
    /// is sent.
    ///
    /// A task that the calls of several entries wait for, such as one that gets a token for all, may call it if each of
    /// them stops waiting once it is cancelled.
    /// - Parameter removingEntries: true to remove all entries and responses of the user, also entries that are being
    ///   added: their `add` throws `noSuchEntry`. By default they stay until the next ``signIn(as:)`` of that user.
    /// - Throws: `StoreError` when they cannot be removed; the user is signed out nevertheless. ``OutboxError``
    ///   (`inFlight`) when the user signs in before they are removed: then they stay.
    public func signOut(removingEntries: Bool = false) async throws {
        guard let user = sender.lastUser else { return }
        await sender.remove(user)
        if removingEntries { try await removeEntries(of: user) }
        sender.changes.signal()
    }

    /// Removes all entries and responses of a user that is signed out, with the edits, also those that were sent.
    ///
    /// A table that is synchronized has the server's rows then, as of its last delta.
    /// - Throws: `StoreError`; ``OutboxError`` (`inFlight`) while the user is signed in here.
    public func removeEntries(of user: String) async throws {
        let (store, sender) = (store, sender)
        let files = try await store.transaction {
            guard sender.noteRemoval(of: user) else {
                throw OutboxError(
                    .inFlight, "User is signed in; sign out first, with `signOut(removingEntries: true)`.")
            }
            do {
                return try Self.removeEntries(of: user, in: store)
            } catch {
                sender.takeBackRemoval(of: user)
                throw error
            }
        }
        for file in files { BodyFile.delete(file) }
    }

    /// - Returns: the files of the removed entries.
    private static func removeEntries(of user: String, in store: any LocalStore) throws -> Set<String> {
        let table = EntryTable(store: store)
        let copies = try table.copies(of: user)
        if let edits = try PendingEdits.existing(in: store) {
            for id in try table.ids(of: user) { try edits.discard(id.editID) }
            try edits.removeSent(of: user)
        }
        try table.removeAll(of: user)
        try ResponseTable(store: store).removeAll(of: user)
        return try copies.subtracting(table.paths())
    }
}

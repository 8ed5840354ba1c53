import Foundation
import StoreCore

/// Full loads, as a whole or page by page.
extension DeltaApplier {
    /// Loads all rows, or the first page of them.
    func loadAll<Source: DeltaSource>(
        _ source: inout Source, _ tables: DeltaTables, _ header: DeltaHeader, _ storedState: StoredState,
        _ isCancelled: () -> Bool
    ) throws(DeltaError) -> DeltaCounts {
        let owner = makeID()
        var loader = try loader(tables)
        if try loadSmall(&source, tables, header, storedState, &loader, isCancelled) { return loader.counts }
        do throws(DeltaError) {
            try beginLoad(tables, storedState, owner)
            try load(&source, &loader, owner, isCancelled)
            try endLoad(tables, header, storedState, owner)
            return loader.counts
        } catch {
            discardLoad(tables, owner)
            throw error
        }
    }

    /// Loads all rows, or the first page of them, as their bytes arrive.
    /// - Parameters:
    ///   - reader: has read the header.
    ///   - nextChunk: returns the next bytes; nil at the end.
    func loadAll(
        _ reader: inout JSONDeltaReader, _ tables: DeltaTables, _ header: DeltaHeader, _ storedState: StoredState,
        nextChunk: () async throws -> Data?
    ) async throws(DeltaError) -> DeltaCounts {
        let owner = makeID()
        var loader = try loader(tables)
        do {
            try beginLoad(tables, storedState, owner)
            try await loader.run(&reader, loadedBy: owner, nextChunk: nextChunk)
            try endLoad(tables, header, storedState, owner)
            return loader.counts
        } catch {
            discardLoad(tables, owner)
            throw DeltaError(wrapping: error)
        }
    }

    private func beginLoad(
        _ tables: DeltaTables, _ storedState: StoredState, _ owner: String
    ) throws(DeltaError) {
        try transaction {
            try requireUnchanged(tables, storedState)
            try tables.beginLoad(owner: owner)
        }
    }

    private func endLoad(
        _ tables: DeltaTables, _ header: DeltaHeader, _ storedState: StoredState, _ owner: String
    ) throws(DeltaError) {
        try endOfPage(header) {
            try tables.requireLoad(ownedBy: owner)
            try finish(tables, header, storedState, owner)
        }
    }

    /// Frees the shadow tables: the cause may be a full disk.
    private func discardLoad(_ tables: DeltaTables, _ owner: String) {
        try? transaction { if try tables.isLoadOwned(by: owner) { try tables.discardLoad() } }
    }

    /// Loads a page after the first one.
    func loadPage<Source: DeltaSource>(
        _ source: inout Source, _ tables: DeltaTables, _ header: DeltaHeader, _ storedState: StoredState,
        _ isCancelled: () -> Bool
    ) throws(DeltaError) -> DeltaCounts {
        let owner = makeID()
        var loader = try loader(tables)
        try endOfPage(header) {
            try requireUnchanged(tables, storedState)
            try tables.record(page: storedState.page, owner: owner)
            try load(&source, &loader, owner, isCancelled)
            try finish(tables, header, storedState, owner)
        }
        return loader.counts
    }

    private func loader(_ tables: DeltaTables) throws(DeltaError) -> RowLoader {
        do { return try RowLoader(tables) } catch { throw DeltaError(wrapping: error) }
    }

    /// Writes the rows of a full load into empty tables in one transaction, if they are about one batch.
    ///
    /// Shadow tables would take longer the more tables the store has, since a schema change is about all of them.
    /// - Returns: false when shadow tables are needed; `loader` then has the first rows.
    private func loadSmall<Source: DeltaSource>(
        _ source: inout Source, _ tables: DeltaTables, _ header: DeltaHeader, _ storedState: StoredState,
        _ loader: inout RowLoader, _ isCancelled: () -> Bool
    ) throws(DeltaError) -> Bool {
        do {
            guard !header.hasMore, try tables.areReadyForRows(),
                try loader.readAhead(&source, isCancelled: isCancelled)
            else { return false }
            return try store.transaction {
                try requireUnchanged(tables, storedState)
                // The app may have written to them meanwhile.
                guard try tables.areReadyForRows() else { return false }
                try tables.discardLoad()
                try loader.run(&source, requestedAt: storedState.version, isCancelled: isCancelled)
                try tables.record(header.targetVersion)
                return true
            }
        } catch {
            throw DeltaError(wrapping: error)
        }
    }

    private func load<Source: DeltaSource>(
        _ source: inout Source, _ loader: inout RowLoader, _ owner: String, _ isCancelled: () -> Bool
    ) throws(DeltaError) {
        do {
            try loader.run(&source, loadedBy: owner, isCancelled: isCancelled)
        } catch {
            throw DeltaError(wrapping: error)
        }
    }

    private func finish(
        _ tables: DeltaTables, _ header: DeltaHeader, _ storedState: StoredState, _ owner: String
    ) throws {
        if header.hasMore {
            try tables.record(page: header.targetVersion, owner: owner)
        } else {
            try tables.finishLoad(header.targetVersion, requestedAt: storedState.version)
        }
    }

    /// Runs the transaction that ends a page of a full load. After the last page it swaps the tables, which foreign
    /// keys of the app's own tables may refer to.
    private func endOfPage(_ header: DeltaHeader, _ body: () throws -> Void) throws(DeltaError) {
        do {
            try header.hasMore ? store.transaction(body) : store.schemaTransaction(body)
        } catch {
            throw DeltaError(wrapping: error)
        }
    }
}

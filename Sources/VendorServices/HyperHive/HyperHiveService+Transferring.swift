import HTTPMessages

extension HyperHiveService {
    /// Decides what of a cached resource a request gets, and keeps its versions.
    struct Transferring {
        let identity: CallIdentity
        let resource: ResourceState
        let request: HTTPRequest
        let configuration: Configuration
        var entry: CacheEntry

        /// - Parameter range: nil for a full table.
        mutating func response(_ range: DeltaRange?, _ counts: inout Counts) throws(Failure) -> Response {
            let known = request.fields[.ifNoneMatch].flatMap { entry.transfer(ETagList($0)) }
            if case .versions(let base, let target) = range { try entry.check(base: base, target: target) }
            if let known, entry.revision(of: known.transfer.target) == resource.revision {
                return .notModified(known.tag, &counts)
            }
            let transfer: CacheEntry.Transfer
            if let list = request.fields["If-Match"] {
                transfer = try continued(range, ETagList(list))
            } else {
                transfer = next(range, known: known?.transfer.target ?? 0, &counts)
            }
            return try response(transfer, &counts)
        }

        /// The transfer whose tag the request has: the same versions as then.
        private func continued(_ range: DeltaRange?, _ tags: ETagList) throws(Failure) -> CacheEntry.Transfer {
            guard let transfer = entry.transfer(tags)?.transfer else { throw .changed }
            switch range {
            case nil: guard transfer.base == nil else { throw .changed }
            case .auto: break
            case .versions(let base, let target):
                guard transfer.base == base, target == nil || target == transfer.target else { throw .changed }
            }
            return transfer
        }

        private mutating func next(_ range: DeltaRange?, known: Int, _ counts: inout Counts) -> CacheEntry.Transfer {
            if case .versions(let base, let target?) = range {
                return CacheEntry.Transfer(base: base, target: target)
            }
            if configuration.loadsOnRequest || entry.last == 0 {
                entry.load(resource.revision)
                counts.loads += 1
            }
            switch range {
            case nil: return CacheEntry.Transfer(base: nil, target: entry.last)
            case .auto: return CacheEntry.Transfer(base: known, target: entry.last)
            case .versions(let base, _): return CacheEntry.Transfer(base: base, target: entry.last)
            }
        }

        private mutating func response(_ transfer: CacheEntry.Transfer, _ counts: inout Counts) throws(Failure)
            -> Response
        {
            guard let revision = entry.revision(of: transfer.target) else { throw .changed }
            let form: TableDocument.Form =
                if let base = transfer.base { .delta(since: entry.revision(of: base)) } else { .full }
            var response = Response(tables: resource.document(form, revision: revision, inputs: identity.inputs))
            response.version = Response.Version(
                base: transfer.base ?? 0, target: transfer.target,
                form: transfer.base == nil ? configuration.fullVersionForm : configuration.deltaVersionForm)
            if transfer.base == nil { counts.fullResponses += 1 } else { counts.deltas += 1 }
            return try response.tagged(entry.tag(transfer, of: identity)).ranged(for: request)
        }
    }
}

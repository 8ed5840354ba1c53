import Foundation

/// Runs a step of a long-lived thread in an autorelease pool, which frees the temporary objects of Apple's frameworks.
///
/// A thread has one pool, which is drained at its end, so these objects would pile up in loops and in jobs of threads
/// that do not end. Elsewhere it only runs the step.
///
/// An unoptimized caller keeps a closure that it passes as a non-escaping argument until it returns. So a loop without
/// an end calls ``runReleasingTemporaries(_:)``.
package func releasingTemporaries<Result>(_ step: () throws -> Result) rethrows -> Result {
    #if canImport(ObjectiveC)
        try autoreleasepool(invoking: step)
    #else
        try step()
    #endif
}

/// Runs a job of a long-lived thread in an autorelease pool, and keeps neither the job nor what it captures.
package func runReleasingTemporaries(_ job: @escaping () -> Void) { releasingTemporaries(job) }

/// What is wrong with a source file; the rest of it is read.
package struct SourceProblem: Sendable, Equatable {
    /// Counted from 1; 0 means the whole file.
    package var line: Int
    package var text: String
}

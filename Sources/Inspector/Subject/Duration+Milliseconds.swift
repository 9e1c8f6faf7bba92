extension Duration {
    /// The number of milliseconds, rounded to microseconds.
    var milliseconds: Double { ((self / .milliseconds(1)) * 1000).rounded() / 1000 }
}

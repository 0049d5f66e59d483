//! Mistakes that tests put into the compiler, to see that its own tests find them.
//!
//! `mutated!(Name, right, wrong)` is `right`, and `mutated_text!(text)` is the text, in every program that is built without the feature
//! `mutations`: neither a test nor a word of what is below stays in it. With the feature one of the mistakes may be switched on at run time
//! (`switch_on`); `tests/mutations` does so and lists what finds them.

#[cfg(not(feature = "mutations"))]
macro_rules! mutated {
    ($name:ident, $right:expr, $wrong:expr) => {
        $right
    };
}
#[cfg(feature = "mutations")]
macro_rules! mutated {
    ($name:ident, $right:expr, $wrong:expr) => {
        if $crate::base::mutation::is_on($crate::base::mutation::Mutation::$name) { $wrong } else { $right }
    };
}

#[cfg(not(feature = "mutations"))]
macro_rules! mutated_text {
    ($text:expr) => {
        $text
    };
}
#[cfg(feature = "mutations")]
macro_rules! mutated_text {
    ($text:expr) => {
        $crate::base::mutation::text($text).as_ref()
    };
}

pub(crate) use {mutated, mutated_text};

#[cfg(feature = "mutations")]
pub use table::{ALL, Info, Mutation, Text, find, is_on, reached, switch_off, switch_on, text};

#[cfg(feature = "mutations")]
mod table {
    use std::borrow::Cow;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    /// A part of the emitted texts with what takes its place.
    #[derive(Debug, Clone, Copy)]
    pub struct Text {
        /// What stands in the text, once.
        pub from: &'static str,
        /// What takes its place.
        pub to: &'static str,
    }

    /// What is known of a mutation.
    #[derive(Debug, Clone, Copy)]
    pub struct Info {
        /// Its number.
        pub mutation: Mutation,
        /// Its name.
        pub name: &'static str,
        /// The source file, below `src`.
        pub file: &'static str,
        /// What goes wrong.
        pub what: &'static str,
        /// What changes in the emitted text, if that is what it is.
        pub text: Option<Text>,
    }

    macro_rules! mutations {
        ($($name:ident in $file:literal: $what:literal $(, $from:literal => $to:literal)?;)*) => {
            /// A mistake.
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub enum Mutation {
                $(#[doc = $what] $name,)*
            }
            /// All mistakes, in the order of the passes.
            pub const ALL: &[Info] = &[$(Info {
                mutation: Mutation::$name,
                name: stringify!($name),
                file: $file,
                what: $what,
                text: mutations!(@text $($from => $to)?),
            },)*];
        };
        (@text) => { None };
        (@text $from:literal => $to:literal) => { Some(Text { from: $from, to: $to }) };
    }

    mutations! {
        AdjointsInSteps in "middle/differentiate/views.rs": "what is added to cells of a slice with steps is added to neighbouring cells of the array";
        AdjointsFromStart in "middle/differentiate/views.rs": "what is added to cells of a slice is added as if the slice began at 0";
        AddedSomewhere in "middle/differentiate/views.rs": "what is added nowhere is added at a place all the same";
        PartsReplace in "middle/differentiate/adjoints.rs": "of what is added to slices of one array only the last counts where they overlap";
        RotatedAgain in "middle/differentiate/reverse.rs": "adjoints of what is rotated are rotated the same way";
        OverwrittenCounts in "middle/differentiate/reverse.rs": "cells that are overwritten get an adjoint";
        EveryWriterWins in "middle/differentiate/reverse.rs": "all values that a scatter writes to one place get its adjoint";
        PartsFromFirst in "middle/differentiate/reverse.rs": "all parts of a concatenation get the adjoint of the first cells";
        SumsOfNothing in "middle/differentiate/adjoints.rs": "what no iteration adds to a cell that is not there is added";
        FirstCellSwept in "middle/differentiate/single_cells.rs": "of a map of which one cell has an adjoint the first iteration is swept";
        LastOfEqualInside in "middle/differentiate/folds.rs": "of equal minima in maps the last one gets the adjoint";
        LastOfEqual in "middle/differentiate/folds.rs": "of equal minima the last one gets the adjoint";
        QuotientsAlways in "middle/differentiate/products.rs": "the product of the other factors is a quotient where a factor is 0, too";
        QuotientsAgain in "middle/differentiate/mod.rs": "quotients of a product and its factors are differentiated";
        BeginsAlone in "middle/differentiate/folds.rs": "what a fold begins with gets no adjoint";
        RightScanTurned in "middle/differentiate/folds.rs": "what is right of an element is combined the wrong way round";
        FlowOfOther in "middle/differentiate/folds.rs": "factors of a scan's return sweep are composed as sums are";
        BinsInOrder in "middle/differentiate/folds.rs": "values are handed back from bins from the first to the last";
        ZeroTimesInfinity in "middle/differentiate/poles.rs": "0 times an infinite slope is NaN";
        StripsAreWhole in "middle/differentiate/strip_mining.rs": "the last block of a strip-mined loop is as long as the others";
        IterationsInOrder in "middle/differentiate/loops.rs": "iterations are run back from the first to the last";
        UndoneInOrder in "middle/differentiate/undo.rs": "what an iteration overwrote is written back in the same order";
        LoopUndoneInOrder in "middle/differentiate/undo.rs": "what inner iterations overwrote is written back in the same order";
        QuotientGrows in "middle/differentiate/partials.rs": "quotients grow with their divisors";
        CapturedConstant in "middle/differentiate/activity.rs": "what operators capture counts as constant";
        TangentOfNeutral in "middle/differentiate/forward.rs": "neutral elements have themselves as tangents";
        LoseReshapeAlias in "middle/optimise/alias.rs": "a reshaped array is taken for new memory";
        LoseScatterAlias in "middle/optimise/alias.rs": "what a scatter or histogram returns is taken for memory of nobody";
        BorrowNothing in "middle/optimise/in_place.rs": "parameters of functions may be overwritten";
        UpdateWhatIsReadLater in "middle/optimise/in_place.rs": "an array that is read later is overwritten";
        ForgetOtherIterations in "middle/optimise/in_place.rs": "an update in a lambda forgets that other iterations read the array";
        SharedLoopResults in "middle/optimise/in_place.rs": "two results of a loop that share memory are both overwritten";
        LoopTakesWhatIsRead in "middle/optimise/in_place.rs": "a loop overwrites the first value of a parameter that its body reads under another name";
        SliceOfItself in "middle/optimise/in_place.rs": "a slice is overwritten by another slice of the same array without a copy";
        ScatterBesideItself in "middle/optimise/in_place.rs": "a scatter overwrites an array that its lambda reads";
        IndexOffByOne in "middle/optimise/facts.rs": "an index that is equal to the size counts as in bounds";
        FactsOutliveBranches in "middle/optimise/facts.rs": "what is known in a branch is believed behind it";
        IndexIsNatural in "middle/optimise/facts.rs": "negative indices count as in bounds";
        NotLessIsGreater in "middle/optimise/simplify/mod.rs": "where a < b is false, a > b is believed";
        UnflattenAnything in "middle/optimise/simplify/mod.rs": "numbers of rows and columns may have a product that is no size";
        CoerceAnything in "middle/optimise/simplify/mod.rs": "of a check of several sizes only the first counts";
        PlusZero in "middle/optimise/simplify/scalar.rs": "x + 0.0 is taken for x, also where x is -0.0";
        ZeroMinus in "middle/optimise/simplify/scalar.rs": "0 - x is taken for x";
        SliceForgetsStart in "middle/optimise/simplify/views.rs": "an element of a slice is read as if the slice began at 0";
        PermuteOnce in "middle/optimise/simplify/views.rs": "of two permutations in a row only the second counts";
        SliceOfSliceForgetsStep in "middle/optimise/simplify/views.rs": "a slice of a slice begins where it would if the inner one had no steps";
        FlatRowForgotten in "middle/optimise/simplify/views.rs": "an element of a reshaped vector is read in its first row";
        UpdateWholeCell in "middle/optimise/simplify/views.rs": "an update of a cell of another place is taken for one of this place";
        TruthTurned in "middle/optimise/simplify/control.rs": "a branch that returns false or true returns its condition";
        LoopOfOne in "middle/optimise/simplify/control.rs": "a loop of two iterations does one";
        InvariantByName in "middle/optimise/simplify/control.rs": "a parameter of a loop that changes places with another counts as unchanged";
        MergeSigns in "middle/optimise/cse.rs": "0.0 and -0.0 are merged";
        MergeRanges in "middle/optimise/cse.rs": "counts of ranges upwards and downwards are merged";
        MergeOperators in "middle/optimise/cse.rs": "maps and reductions are merged whatever the operations in them are";
        ChecksAreDead in "middle/optimise/dead.rs": "what may fail goes if its value is not needed";
        FuseOverChecks in "middle/optimise/fuse/mod.rs": "checks move behind what relies on them";
        FuseOverWrites in "middle/optimise/fuse/mod.rs": "a producer moves behind a write to what it reads";
        FuseAcross in "middle/optimise/fuse/mod.rs": "operators are fused although what is between them needs the one and is needed by the other";
        FuseWidths in "middle/optimise/fuse/mod.rs": "operators of different widths are fused";
        HoistWhatMayFail in "middle/optimise/hoist.rs": "what may fail leaves loops that may not run";
        HoistUnasked in "middle/optimise/hoist.rs": "what may fail is done in front of a body that never runs";
        HoistTooFar in "middle/optimise/hoist.rs": "what depends on the iteration leaves the loop";
        UnrollTurned in "middle/optimise/unroll.rs": "an unrolled reduction combines its operands the wrong way round";
        UnrollFirstCell in "middle/optimise/unroll.rs": "the last cell of what is unrolled is the one before";
        InputFromAnywhere in "middle/optimise/index_to_input.rs": "ranges that do not begin at 0 count as numbers of cells";
        OverWithoutCopies in "middle/optimise/in_place_maps.rs": "cells that all others need are not copied before they are overwritten";
        ConcatShifted in "middle/optimise/concat_updates.rs": "what stays behind a rebuilt array is taken from one place too early";
        ColumnStride in "middle/optimise/strided_updates.rs": "columns are written with the stride of a row less one";
        PartOfRowPlace in "middle/optimise/strided_updates.rs": "the place of a part of a row forgets the row";
        SegmentsUnchecked in "middle/optimise/segment_fusion.rs": "checks of a producer that is computed in parts are dropped";
        BothWaysTurned in "middle/optimise/row_column_fusion.rs": "columns that are reduced by rows combine their operands the wrong way round";
        VaryingOperator in "middle/flatten/nest.rs": "reductions whose operator differs from thread to thread are flattened";
        IrregularWidth in "middle/flatten/nest.rs": "nests whose width differs from thread to thread are flattened";
        OneByOneTurned in "middle/flatten/nest.rs": "operators that run one by one combine their operands the wrong way round";
        ScansNotTurnedBack in "middle/flatten/nest.rs": "scans of rows come out the wrong way round";
        PartsNotMoved in "middle/flatten/cells.rs": "elements of the second part of a concatenation in a map are read from the place in the whole";
        PartsTooLong in "middle/flatten/cells.rs": "a part of a row that is updated in a map has one element too many";
        KnownBeforeChecks in "middle/flatten/distribute.rs": "what relies on a check comes before it";
        LoopCountVaries in "middle/flatten/distribute.rs": "loops whose count differs from thread to thread change places with the threads";
        KernelChecksDropped in "middle/flatten/context.rs": "checks whose values nothing needs are left out of kernels";
        WaitingChecksDropped in "middle/flatten/distribute.rs": "checks at the end of a body that is distributed are forgotten";
        CoalesceBackwards in "middle/flatten/coalesce.rs": "an array whose layout changes comes back by the wrong permutation";
        CoalesceOnce in "middle/flatten/coalesce.rs": "the copy of an array with another layout is made before the loop that changes it";
        DenseAnyhow in "back/lower/memory.rs": "vectors with steps count as dense";
        ChunkOfCopy in "back/lower/memory.rs": "a chunk of a copy is taken from the beginning of the source";
        CheckOffByOne in "back/lower/memory.rs": "an index that is equal to the size passes the check";
        ReleaseBranchResult in "back/lower/control.rs": "what a branch returns is released while it is in use";
        OneBufferOfTwo in "back/lower/control.rs": "a loop writes the buffer that it reads from the second iteration on";
        OldScalarsGo in "back/lower/control.rs": "variables of a loop take their new values one after the other";
        LoopReleasesResult in "back/lower/control.rs": "a loop releases the buffers that its results are in";
        WriteReplicated in "back/lower/updates.rs": "a replicated array is overwritten where it is";
        ConcatPlaced in "back/lower/updates.rs": "the parts behind one that is in its place already begin too early";
        RotateWraps in "back/lower/views.rs": "a rotation wraps around one element too late";
        StepsRoundDown in "back/lower/exp.rs": "the number of steps of a slice is rounded down";
        DivisionUnchecked in "back/lower/exp.rs": "divisions by zero are not checked for narrow integers";
        StillNeeded in "back/lower/destinations.rs": "an array that is needed elsewhere is made over by what is computed from it";
        PartNeededTwice in "back/lower/destinations.rs": "an array that is two parts of a concatenation is made in its place once";
        NeighboursFirst in "back/lower/destinations.rs": "new cells are written over old ones that later cells read";
        PartsOfAnySize in "back/lower/destinations.rs": "a part of a concatenation is made in place though another may have a negative number of rows";
        BlocksOverlap in "back/lower/destinations.rs": "blocks that overlap by an element count as apart";
        AnyRootIsApart in "back/lower/destinations.rs": "an array that shares memory with what is overwritten counts as apart";
        FirstChunkLost in "back/lower/chunks.rs": "what the first chunk of a reduction found is lost";
        ChunksFromNeutral in "back/lower/chunks.rs": "the chunks of a scan all begin with the neutral element";
        SumsOneAfterOther in "back/lower/soac.rs": "sums of several components take their new values one after the other";
        SumsWithoutSwap in "back/lower/soac.rs": "the buffers of a sum of arrays do not change places";
        SharedSumAnyNeutral in "back/lower/soac.rs": "an inner sum goes on with the outer one whatever its operator and neutral element are";
        BinsStartFromGiven in "back/lower/hist.rs": "copies of bins start from the neutral element that is given, which need not be one beside what is in the bins";
        BinsOfWhatMayFail in "back/lower/hist.rs": "an operator that may fail has privatised bins, and runs for those that no value comes for";
        BinsNotNeutral in "back/lower/hist.rs": "only the first of several copies of the bins begins with the neutral element";
        HistRestLost in "back/lower/hist.rs": "what is left when the values are divided among copies of the bins is not counted";
        FilterChunks in "back/lower/filter_scatter.rs": "the chunks of a filter are put together with the counts of the chunk before";
        ScatterUnchecked in "back/lower/filter_scatter.rs": "values for places outside are written";
        InterchangeRest in "back/lower/interchange.rs": "the last rows that make no whole group are not added";
        InterchangeBlocks in "back/lower/interchange.rs": "the last block of columns is left out";
        InterchangeAnyLambda in "back/lower/interchange.rs": "a nest whose inner loop needs the outer cell changes its loops all the same";
        TileReadsBeyond in "back/lower/tile.rs": "tiles at the right end read a column that is not there";
        TileBlocks in "back/lower/tile.rs": "the last block of a product is left out";
        EndLivesEarly in "back/lower/mod.rs": "memory is released one statement too early";
        TransferWhatIsOthers in "back/lower/mod.rs": "memory that was not made here is consumed";
        SamePlaceAnyStride in "back/lower/mod.rs": "arrays at one place with other strides count as the same";
        TransposeTurned in "back/lower/kernels.rs": "planes are transposed with rows for columns";
        EverythingCommutes in "back/lower/kernels.rs": "reductions whose order counts are reordered";
        ScatterAnyWins in "back/lower/kernels.rs": "of several values for a place any wins";
        RowsOfNothing in "back/lower/device_histograms.rs": "a histogram of rows without elements does not fail where its function does";
        ChunksOfBins in "back/lower/device_histograms.rs": "the last chunk of a histogram on a device ends one value too early";
        AnyHistogramCommutes in "back/lower/device_histograms.rs": "histograms whose order counts are done by many threads at once";
        AccumulatorsFromZero in "back/vectorise/accumulators.rs": "sums in several registers all begin with 0";
        AccumulatorsHalf in "back/vectorise/accumulators.rs": "half of the accumulators are not added to the others";
        AccumulatorsRest in "back/vectorise/accumulators.rs": "what is left behind the last whole block is added from one element later";
        ExtremaOfZeros in "back/vectorise/extrema.rs": "of zeros any is the least and the greatest";
        ExtremaOfNothing in "back/vectorise/extrema.rs": "the greatest of nothing but NaN is a number";
        LanesComeBack in "back/vectorise/masked.rs": "lanes that have left a loop come back";
        LanesGoOn in "back/vectorise/masked.rs": "variables of lanes that have left a loop change";
        DivisorChanges in "back/vectorise/reciprocals.rs": "reciprocals of divisors that change are computed once";
        AnyDivisor in "back/vectorise/reciprocals.rs": "reciprocals are used for divisors of any size";
        ExitValueStale in "back/vectorise/exit_values.rs": "values from before a variable was set again are used";
        JamNeighbours in "back/vectorise/unroll_and_jam.rs": "rows that read neighbours of what they add to are done together";
        JamRest in "back/vectorise/unroll_and_jam.rs": "the rows that make no whole block begin one too late";
        SideLost in "back/vectorise/write.rs": "of lanes that run side by side the last runs twice and one not at all";
        UniformLoop in "back/vectorise/plan.rs": "inner loops with different counts are run as long as that of the first lane";
        ScheduledBeforeOperands in "back/vectorise/schedule.rs": "long functions begin before their operands are there";
        PackShort in "back/vectorise/packing.rs": "columns that are copied for neighbouring lanes are one element short";
        FoldedPower in "back/text/expr.rs": "powers with halves are taken for whole ones";
        SignedOverflow in "back/text/expr.rs": "sums of signed integers overflow instead of wrapping around";
        AnyOrderAlways in "back/c/marks.rs": "loops whose iterations depend on each other are marked as independent";
        GiveTwice in "back/text/stmt.rs": "what is consumed is released all the same";
        MoveForgets in "back/text/stmt.rs": "what a loop replaces is not released";
        ClassRoundsDown in "back/c/runtime.c": "blocks of memory are rounded down",
            "+ quarter - 1) / quarter);" => ") / quarter);";
        PieceEnds in "back/c/runtime.c": "all pieces but the last end one iteration too early",
            "hi = (int64_t)((__int128)width * (piece + 1) / pieces);" => "hi = (int64_t)((__int128)width * (piece + 1) / pieces) - (piece + 1 < pieces);";
        NobodyWaits in "back/c/runtime.c": "a parallel loop does not wait for the other threads",
            "  int failed = remora_share(th);\n  __atomic_and_fetch(&crew->loop, ~REMORA_OPEN, __ATOMIC_SEQ_CST);\n  remora_await(crew);" => "  int failed = remora_share(th);\n  __atomic_and_fetch(&crew->loop, ~REMORA_OPEN, __ATOMIC_SEQ_CST);\n  if (crew->quit) remora_await(crew);";
        LastFailureCounts in "back/c/runtime.c": "of several failures the last counts",
            "if (!c->failed || th->order < c->failed_at) {" => "if (!c->failed || th->order >= c->failed_at) {";
        DivisionTruncates in "back/text/scalars.c": "divisions of negative integers round towards zero",
            "? (T)(q - 1) : q;" => "? (T)(q - 0) : q;";
        ModuloOfNegatives in "back/text/scalars.c": "the remainder of a negative integer has the wrong sign",
            "? (T)(r + b) : r;" => "? (T)(r - 0) : r;";
        ShiftByBits in "back/text/scalars.c": "shifts by the number of bits give the number",
            "REMORA_FN T remora_shl_##T(T a, T b) { return (U)b < BITS ? (T)((U)a << (U)b) : (T)0; }" => "REMORA_FN T remora_shl_##T(T a, T b) { return (U)b < BITS ? (T)((U)a << (U)b) : (U)b == BITS ? a : (T)0; }";
        NanWins in "back/text/scalars.c": "the minimum of a number and NaN is NaN",
            "return b != b ? a : a == b && !(REMORA_CONSTANT(b) && (b != 0 || signbit(b)))" => "return a != a ? a : a == b && !(REMORA_CONSTANT(b) && (b != 0 || signbit(b)))";
        MinimumOfZeros in "back/text/scalars.c": "the minimum of 0 and -0 is 0",
            "remora_from_bits_##T(remora_bits_##T(a) | remora_bits_##T(b))" => "remora_from_bits_##T(remora_bits_##T(a) & remora_bits_##T(b))";
        NanToInteger in "back/text/scalars.c": "NaN becomes the least integer",
            "return x != x ? 0 :" => "return x != x ? LOW + 0 * 0 :";
        PowerOfInfinity in "back/text/scalars.c": "the square root of minus infinity is taken for a half power",
            "x = x == -(T)INFINITY ? (T)INFINITY : x == 0 ? (T)0 : x;" => "x = x == 0 ? (T)0 : x;";
        QuotientUncorrected in "back/text/scalars.c": "quotients by reciprocals are not corrected",
            "quotient = fma##S(rest, r, near);" => "quotient = fma##S(rest, 0, near);";
        KernelLastFailure in "back/cuda/thread.rs": "of several failures in a kernel the last counts";
        LanesTurned in "back/cuda/device.cu": "lanes of a warp combine their values the wrong way round",
            "    if (lane % (2 * delta) == 0) {\n      value = op(value, above);" => "    if (lane % (2 * delta) == 0) {\n      value = op(above, value);";
        BlockWithoutBarrier in "back/cuda/device.cu": "the first thread of a block does not wait for the totals of the warps",
            "    room[threadIdx.x / 32] = value;\n  }\n  __syncthreads();" => "    room[threadIdx.x / 32] = value;\n  }";
        TileWithoutBarrier in "back/cuda/device.cu": "a tile is transposed before it is complete",
            "columns + at - x];\n        }\n      }\n    }\n    __syncthreads();" => "columns + at - x];\n        }\n      }\n    }";
        WarpWithoutBarrier in "back/cuda/device.cu": "lanes exchange values without waiting for each other",
            "      __syncwarp();\n#pragma unroll\n      for (int k = 0; k < layout::items; k++) {\n        const int at" => "#pragma unroll\n      for (int k = 0; k < layout::items; k++) {\n        const int at";
        HeadsForgotten in "back/cuda/device.cu": "a scan runs on from segment to segment within a thread",
            "prefix = op(position == 0 ? neutral : prefix, *place);" => "prefix = op(position == 0 && k == 0 ? neutral : prefix, *place);";
        LookBackTurned in "back/cuda/device.cu": "what tiles before have found is combined the wrong way round",
            "        value = op(further, value);" => "        value = op(value, further);";
        UpdateLost in "back/cuda/device.cu": "an update that another thread has overtaken is lost",
            "    if (found == seen) {\n      return;\n    }" => "    return;";
        WideRest in "back/cuda/device.cu": "what is left behind the last whole vector is not done",
            "for (int64_t i = vectors * N + first; i < width; i += stride) {" => "for (int64_t i = (vectors + 1) * N + first - N * (vectors == 0); i < width; i += stride) {";
        UnlockedBins in "back/cuda/device.cu": "locks are taken whether they are free or not",
            "if (atomicCAS((unsigned int *)&locks[bin], 0u, 1u) == 0) {" => "if (atomicCAS((unsigned int *)&locks[bin], 0u, 1u) < 2) {";
        OtherFence in "back/cuda/device.cu": "what a block has found is not there for others when it says that it has come",
            "partial[item] = total;\n      __threadfence();" => "partial[item] = total;";
        ProductDepth in "back/cuda/products.cu": "products in tiles take one element too many",
            "for (int k = 0; k < (int)left_over; k++) {" => "for (int k = 0; k <= (int)left_over; k++) {";
        ProductBarrier in "back/cuda/products.cu": "tiles of products are used before they are complete",
            "      next_right.keep(own_right);\n      __syncthreads();" => "      next_right.keep(own_right);";
        ScanStateDirty in "back/cuda/host.c": "the state of a scan is not cleared",
            "int failed = c->device->fill(c->device->self, state->data, 0, bytes)" => "int failed = c->device->fill(c->device->self, state->data, 0, 8)";
        HistFirstPass in "back/cuda/host.c": "only the first bins of a histogram in several passes are counted",
            "for (; first < bins; first += here) {" => "for (; first < 1; first += here) {";
    }

    /// No mutation.
    const NONE: usize = usize::MAX;
    static CURRENT: AtomicUsize = AtomicUsize::new(NONE);
    static REACHED: AtomicBool = AtomicBool::new(false);

    /// The mutation with a name.
    pub fn find(name: &str) -> Option<Mutation> {
        ALL.iter().find(|info| info.name == name).map(|info| info.mutation)
    }
    /// From now on the compiler makes this mistake, in all threads.
    pub fn switch_on(mutation: Mutation) {
        CURRENT.store(mutation as usize, Ordering::SeqCst);
        REACHED.store(false, Ordering::SeqCst);
    }
    /// From now on it makes none.
    pub fn switch_off() {
        CURRENT.store(NONE, Ordering::SeqCst);
    }
    /// Whether the compiler came to the place of the mutation since it was switched on.
    pub fn reached() -> bool {
        REACHED.load(Ordering::SeqCst)
    }
    /// Whether this mistake is to be made here.
    pub fn is_on(mutation: Mutation) -> bool {
        let on = CURRENT.load(Ordering::Relaxed) == mutation as usize;
        if on {
            REACHED.store(true, Ordering::Relaxed);
        }
        on
    }
    /// A text that goes into emitted programs, with the mistake that is to be made in it.
    pub fn text(text: &str) -> Cow<'_, str> {
        let change = ALL.get(CURRENT.load(Ordering::Relaxed)).and_then(|info| info.text);
        match change.filter(|change| text.contains(change.from)) {
            Some(Text { from, to }) => {
                REACHED.store(true, Ordering::Relaxed);
                Cow::Owned(text.replacen(from, to, 1))
            }
            None => Cow::Borrowed(text),
        }
    }
}
